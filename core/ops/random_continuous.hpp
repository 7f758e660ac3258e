// The continuous distributions. Each is a class made from its parameters, called with random words.
#pragma once

#include "ops/random_math.hpp"

namespace asnumpy {
namespace {

// A class that is called with one word, or `of_normal` with a normal number made from one, runs on vectors. One that is
// called with a source of words takes as many as it needs, of which `words` are drawn for each element in advance; where
// it `starts_normal`, the first of them makes a normal number, which is at hand.
namespace draws {

using namespace random_math;
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// numpy.random's `random`: 53 bits, or 24 for float32.
struct Random {
    static constexpr auto name = "random_random";
    double operator()(std::uint64_t word) const { return unit(word); }
};
struct RandomSingle {
    static constexpr auto name = "random_random_single";
    double operator()(std::uint64_t word) const { return exact(word >> 40) * 0x1p-24; }
};

struct Uniform {
    static constexpr auto name = "random_uniform";
    double low, range;
    double operator()(std::uint64_t word) const { return low + range * unit(word); }
};

struct Normal {
    static constexpr auto name = "random_normal";
    double loc, scale;
    double of_normal(double z) const { return loc + scale * z; }
};

struct LogNormal {
    static constexpr auto name = "random_lognormal";
    double mean, sigma;
    double of_normal(double z) const { return exp(mean + sigma * z); }
};

struct Exponential {
    static constexpr auto name = "random_exponential";
    double scale;
    double operator()(std::uint64_t word) const { return scale * exponential(word); }
};

struct Laplace {
    static constexpr auto name = "random_laplace";
    double loc, scale;
    double operator()(std::uint64_t word) const { return loc + scale * with_sign(exponential(word), word); }
};

struct Logistic {
    static constexpr auto name = "random_logistic";
    double loc, scale;
    double operator()(std::uint64_t word) const {
        const double u = open_unit(word);
        return loc + scale * log_positive(u / (1 - u));
    }
};

struct Gumbel {
    static constexpr auto name = "random_gumbel";
    double loc, scale;
    double operator()(std::uint64_t word) const { return loc - scale * log_positive(exponential(word)); }
};

struct Rayleigh {
    static constexpr auto name = "random_rayleigh";
    double scale;
    double operator()(std::uint64_t word) const { return scale * std::sqrt(2 * exponential(word)); }
};

struct Weibull {
    static constexpr auto name = "random_weibull";
    double a;
    double operator()(std::uint64_t word) const {
        const double result = exp(log_positive(exponential(word)) / a);
        return a == 0 ? 0 : result;
    }
};

struct Pareto {
    static constexpr auto name = "random_pareto";
    double a;
    double operator()(std::uint64_t word) const { return expm1(exponential(word) / a); }
};

struct Power {
    static constexpr auto name = "random_power";
    double a;
    double operator()(std::uint64_t word) const { return exp(-exponential(word) / a); }
};

struct StandardCauchy {
    static constexpr auto name = "random_standard_cauchy";
    double operator()(std::uint64_t word) const { return with_sign(cotangent(0.5 * open_unit(word)), word); }
};

struct Triangular {
    static constexpr auto name = "random_triangular";
    double left, mode, right;
    double operator()(std::uint64_t word) const {
        const double u = open_unit(word), base = right - left, before = mode - left, after = right - mode;
        const double rising = left + std::sqrt(u * before * base), falling = right - std::sqrt((1 - u) * after * base);
        return u * base <= before ? rising : falling;
    }
};

// Marsaglia and Tsang's rejection (2000) for shape >= 1; below, a draw with shape + 1 times U^(1 / shape).
struct Gamma {
    static constexpr auto name = "random_gamma";
    static constexpr bool starts_normal = true;
    static constexpr std::uint64_t words = 4;

    Gamma(double shape, double scale) : shape_(shape), scale_(scale), d_((shape < 1 ? shape + 1 : shape) - 1.0 / 3), c_(1 / std::sqrt(9 * d_)) {}

    template <class Words> double operator()(Words& words) const {
        if (!(shape_ > 0 && shape_ < infinity)) return scale_ * (shape_ == 0 ? 0 : shape_);  // NaN and infinity
        for (;;) {
            const double x = words.normal(), u = open_unit(words()), w = 1 + c_ * x, v = w * w * w;
            if (v <= 0) continue;
            const double square = x * x;
            if (u < 1 - 0.0331 * square * square || log(u) < 0.5 * square + d_ * (1 - v + log(v)))
                return scale_ * (d_ * v * (shape_ < 1 ? exp(-exponential(words()) / shape_) : 1));
        }
    }

private:
    double shape_, scale_, d_, c_;
};

struct ChiSquare {
    static constexpr auto name = "random_chisquare";
    static constexpr bool starts_normal = true;
    static constexpr std::uint64_t words = Gamma::words;
    explicit ChiSquare(double df) : gamma_(df / 2, 2) {}
    template <class Words> double operator()(Words& words) const { return gamma_(words); }

private:
    Gamma gamma_;
};

// Joehnk's rejection (1964), in logarithms where powers underflow, for a, b <= 1; else from two gammas.
struct Beta {
    static constexpr auto name = "random_beta";
    static constexpr std::uint64_t words = 8;
    Beta(double a, double b) : a_(a), b_(b), first_(a, 1), second_(b, 1) {}

    template <class Words> double operator()(Words& words) const {
        if (!(a_ > 0 && b_ > 0)) return nan;
        if (a_ > 1 || b_ > 1) {
            if (a_ == infinity || b_ == infinity) return a_ == b_ ? nan : a_ == infinity ? 1 : 0;
            const double x = first_(words), y = second_(words);
            return x / (x + y);
        }
        for (;;) {
            const double log_x = -exponential(words()) / a_, log_y = -exponential(words()) / b_;
            const double x = exp(log_x), y = exp(log_y);
            if (x + y > 1) continue;
            if (x > 0x1p-1000 && y > 0x1p-1000) return x / (x + y);
            const double larger = log_x > log_y ? log_x : log_y;
            return exp(log_x - larger - log(exp(log_x - larger) + exp(log_y - larger)));
        }
    }

private:
    double a_, b_;
    Gamma first_, second_;
};

struct F {
    static constexpr auto name = "random_f";
    static constexpr bool starts_normal = true;
    static constexpr std::uint64_t words = 8;
    F(double dfnum, double dfden) : numerator_(dfnum / 2, 2 / dfnum), denominator_(dfden / 2, 2 / dfden) {}
    template <class Words> double operator()(Words& words) const {
        const double x = numerator_(words);
        return x / denominator_(words);
    }

private:
    Gamma numerator_, denominator_;
};

struct StandardT {
    static constexpr auto name = "random_standard_t";
    static constexpr bool starts_normal = true;
    static constexpr std::uint64_t words = 4;
    explicit StandardT(double df) : infinite_(df == infinity), gamma_(df / 2, 2 / df) {}
    template <class Words> double operator()(Words& words) const {
        const double z = words.normal();
        return infinite_ ? z : z / std::sqrt(gamma_(words));
    }

private:
    bool infinite_;
    Gamma gamma_;
};

// Michael, Schucany and Haas (1976), the smaller root written without a difference.
struct Wald {
    static constexpr auto name = "random_wald";
    static constexpr bool starts_normal = true;
    static constexpr std::uint64_t words = 2;
    double mean, scale;
    template <class Words> double operator()(Words& words) const {
        const double z = words.normal(), y = mean * z * z / (2 * scale);
        const double smaller = mean / (1 + y + std::sqrt(y * (y + 2)));
        return unit(words()) * (mean + smaller) <= mean ? smaller : mean * (mean / smaller);
    }
};

// Best and Fisher's rejection from a wrapped Cauchy distribution (1979).
struct VonMises {
    static constexpr auto name = "random_vonmises";
    static constexpr std::uint64_t words = 4;

    VonMises(double mu, double kappa) : mu_(mu), kappa_(kappa) {
        if (kappa < 1e-5) {  // the first terms of the series
            s_ = 1 / kappa + kappa;
            s_less_1_ = s_ - 1;
        } else {
            const double r = 1 + std::sqrt(1 + 4 * kappa * kappa), rho = (r - std::sqrt(2 * r)) / (2 * kappa);
            s_ = (1 + rho * rho) / (2 * rho);
            s_less_1_ = (1 - rho) * (1 - rho) / (2 * rho);
        }
    }

    template <class Words> double operator()(Words& words) const {
        if (!(std::fabs(mu_) < infinity) || kappa_ != kappa_) return nan;
        if (kappa_ < 1e-8) return wrapped(pi * (2 * unit(words()) - 1));
        if (kappa_ > 1e6) return wrapped(mu_ + words.normal() / std::sqrt(kappa_));
        for (;;) {
            const std::uint64_t word = words();
            const double t = 1 / cotangent(0.5 * open_unit(word));  // tan of half the Cauchy angle
            const double z = (1 - t * t) / (1 + t * t), y = kappa_ * s_less_1_ * (s_ + 1) / (s_ + z);
            const double v = open_unit(words());
            if (y * (2 - y) - v < 0 && log(y / v) + 1 - y < 0) continue;
            const double angle = 2 * arctangent(std::sqrt(s_less_1_ / (s_ + 1)) * t);
            return wrapped(mu_ + with_sign(angle, word));
        }
    }

private:
    static double wrapped(double angle) {
        if (std::fabs(angle) <= pi) return angle;
        const double turned = std::fmod(std::fabs(angle) + pi, 2 * pi) - pi;
        return angle < 0 ? -turned : turned;
    }

    double mu_, kappa_, s_, s_less_1_;
};

}  // namespace draws
}  // namespace
}  // namespace asnumpy
