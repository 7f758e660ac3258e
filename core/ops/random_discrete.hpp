// The discrete distributions, and the non-central ones that rest on them. As random_continuous.hpp says, a class for each.
#pragma once

#include "ops/random_continuous.hpp"

namespace asnumpy {
namespace {
namespace draws {

inline constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
inline std::int64_t to_integer(double x) { return x >= 0x1p63 ? most : static_cast<std::int64_t>(x); }

__extension__ using Product = unsigned __int128;

// A whole number below `count` (0: below 2^64) without bias: Lemire's product of word and count (2019).
template <class Words> std::uint64_t below(std::uint64_t count, std::uint64_t word, Words& words) {
    if (count == 0) return word;
    Product product = Product{word} * count;
    if (static_cast<std::uint64_t>(product) < count) {
        const std::uint64_t unfair = -count % count;
        while (static_cast<std::uint64_t>(product) < unfair) product = Product{words()} * count;
    }
    return static_cast<std::uint64_t>(product >> 64);
}

struct Integers {
    static constexpr auto name = "random_integers";
    static constexpr std::uint64_t words = 1;
    std::uint64_t low, count;  // both modulo 2^64
    template <class Words> std::uint64_t operator()(Words& words) const { return low + below(count, words(), words); }
};

struct Geometric {
    static constexpr auto name = "random_geometric";
    static constexpr std::uint64_t words = 1;
    explicit Geometric(double p) : rate_(-log1p(-p)) {}
    template <class Words> std::int64_t operator()(Words& words) const {
        const double trials = std::ceil(exponential(words()) / rate_);
        return trials > 1 ? to_integer(trials) : 1;
    }

private:
    double rate_;
};

// By inversion below 10; above, Hoermann's transformed rejection (PTRS, 1993).
struct Poisson {
    static constexpr auto name = "random_poisson";
    static constexpr std::uint64_t words = 2;

    explicit Poisson(double lam) : lam_(lam) {
        if (lam < 10) {
            none_ = exp(-lam);
            return;
        }
        b_ = 0.931 + 2.53 * std::sqrt(lam);
        a_ = -0.059 + 0.02483 * b_;
        inverse_alpha_ = 1.1239 + 1.1328 / (b_ - 3.4);
        v_r_ = 0.9277 - 3.6224 / (b_ - 2);
    }

    template <class Words> std::int64_t operator()(Words& words) const {
        if (!(lam_ < 0x1p63)) return most;
        if (lam_ < 10) {
            double u = unit(words()), p = none_;
            std::int64_t k = 0;
            for (; u > p && k < 150; p *= lam_ / static_cast<double>(k)) {
                u -= p;
                ++k;
            }
            return k;
        }
        for (;;) {
            const double u = open_unit(words()) - 0.5, v = open_unit(words()), us = 0.5 - std::fabs(u);
            const double k = std::floor((2 * a_ / us + b_) * u + lam_ + 0.43);
            if (us >= 0.07 && v <= v_r_) return to_integer(k);
            if (k < 0 || (us < 0.013 && v > us)) continue;
            if (log(v * inverse_alpha_ / (a_ / (us * us) + b_)) <= log_poisson(k, lam_)) return to_integer(k);
        }
    }

private:
    double lam_, none_ = 0, a_ = 0, b_ = 0, inverse_alpha_ = 0, v_r_ = 0;
};

// By inversion where n p < 10; above, Hoermann's transformed rejection (BTRS, 1993).
struct Binomial {
    static constexpr auto name = "random_binomial";
    static constexpr std::uint64_t words = 2;

    Binomial(std::int64_t trials, double probability)
        : trials_(trials), n_(static_cast<double>(trials)), flipped_(probability > 0.5),
          p_(flipped_ ? 1 - probability : probability), q_(flipped_ ? probability : 1 - probability) {
        if (n_ * p_ < 10) {
            none_ = exp(n_ * log1p(-p_));
            return;
        }
        const double spread = std::sqrt(n_ * p_ * q_);
        b_ = 1.15 + 2.53 * spread;
        a_ = -0.0873 + 0.0248 * b_ + 0.01 * p_;
        v_r_ = 0.92 - 4.2 / b_;
        alpha_ = (2.83 + 5.1 / b_) * spread;
        at_mode_ = log_binomial(std::floor((n_ + 1) * p_), n_, p_, q_);
    }

    template <class Words> std::int64_t operator()(Words& words) const {
        if (trials_ <= 0 || p_ <= 0) return flipped_ && trials_ > 0 ? trials_ : 0;
        const std::int64_t k = n_ * p_ < 10 ? by_inversion(unit(words())) : by_rejection(words);
        return flipped_ ? trials_ - k : k;
    }

private:
    std::int64_t by_inversion(double u) const {
        const std::int64_t last = trials_ < 150 ? trials_ : 150;
        double p = none_;
        std::int64_t k = 0;
        while (u > p && k < last) {
            u -= p;
            p *= (n_ - static_cast<double>(k)) * p_ / (static_cast<double>(k + 1) * q_);
            ++k;
        }
        return k;
    }

    template <class Words> std::int64_t by_rejection(Words& words) const {
        for (;;) {
            const double u = open_unit(words()) - 0.5, v = open_unit(words()), us = 0.5 - std::fabs(u);
            const double k = std::floor((2 * a_ / us + b_) * u + n_ * p_ + 0.5);
            if (k < 0 || k > n_) continue;
            if ((us >= 0.07 && v <= v_r_) || log(v * alpha_ / (a_ / (us * us) + b_)) <= log_binomial(k, n_, p_, q_) - at_mode_) {
                const std::int64_t found = to_integer(k);
                return found < trials_ ? found : trials_;
            }
        }
    }

    std::int64_t trials_;
    double n_;
    bool flipped_;
    double p_, q_, none_ = 0, a_ = 0, b_ = 0, v_r_ = 0, alpha_ = 0, at_mode_ = 0;
};

struct NegativeBinomial {
    static constexpr auto name = "random_negative_binomial";
    static constexpr bool starts_normal = true;
    static constexpr std::uint64_t words = 8;
    NegativeBinomial(double n, double p) : gamma_(n, (1 - p) / p) {}
    template <class Words> std::int64_t operator()(Words& words) const { return Poisson(gamma_(words))(words); }

private:
    Gamma gamma_;
};

// Small samples draw from an urn; larger ones use Stadlober's ratio of uniforms (HRUA, 1990).
struct Hypergeometric {
    static constexpr auto name = "random_hypergeometric";
    static constexpr std::uint64_t words = 4;

    Hypergeometric(std::int64_t good, std::int64_t bad, std::int64_t sample)
        : good_(good), bad_(bad), sample_(sample), drawn_(sample < good + bad - sample ? sample : good + bad - sample) {
        if (drawn_ < 10) return;
        less_ = static_cast<double>(good < bad ? good : bad);
        more_ = static_cast<double>(good < bad ? bad : good);
        m_ = static_cast<double>(drawn_);
        const double all = less_ + more_, share = less_ / all;
        centre_ = m_ * share + 0.5;
        const double spread = std::sqrt((all - m_) * m_ * share * (1 - share) / (all - 1) + 0.5);
        width_ = 1.7155277699214135 * spread + 0.8989161620588988;
        at_mode_ = log_hypergeometric(std::floor((m_ + 1) * (less_ + 1) / (all + 2)), less_, more_, m_);
        const double far = std::floor(centre_ + 16 * spread), bound = (m_ < less_ ? m_ : less_) + 1;
        end_ = bound < far ? bound : far;
    }

    template <class Words> std::int64_t operator()(Words& words) const {
        std::int64_t k = drawn_ < 10 ? from_urn(words) : by_ratio(words);  // of the good among drawn_
        return drawn_ == sample_ ? k : good_ - k;
    }

private:
    template <class Words> std::int64_t from_urn(Words& words) const {
        auto good = static_cast<std::uint64_t>(good_), all = good + static_cast<std::uint64_t>(bad_);
        for (std::int64_t i = 0; i < drawn_ && good > 0; ++i, --all)
            if (below(all, words(), words) < good) --good;
        return good_ - static_cast<std::int64_t>(good);
    }

    template <class Words> std::int64_t by_ratio(Words& words) const {
        for (;;) {
            const double x = open_unit(words()), w = centre_ + width_ * (open_unit(words()) - 0.5) / x;
            if (w < 0 || w >= end_) continue;
            const double z = std::floor(w);
            if (m_ - z > more_) continue;
            const double ratio = log_hypergeometric(z, less_, more_, m_) - at_mode_;
            if (x * (4 - x) - 3 <= ratio || (x * (x - ratio) < 1 && 2 * log(x) <= ratio)) {
                const std::int64_t k = to_integer(z);
                return good_ > bad_ ? drawn_ - k : k;
            }
        }
    }

    std::int64_t good_, bad_, sample_, drawn_;
    double less_ = 0, more_ = 0, m_ = 0, centre_ = 0, width_ = 0, end_ = 0, at_mode_ = 0;
};

// Kemp's second algorithm (1981).
struct LogSeries {
    static constexpr auto name = "random_logseries";
    static constexpr std::uint64_t words = 2;
    explicit LogSeries(double p) : p_(p), r_(log1p(-p)) {}
    template <class Words> std::int64_t operator()(Words& words) const {
        for (;;) {
            const double v = open_unit(words());
            if (v >= p_) return 1;
            const double q = -expm1(r_ * open_unit(words()));
            if (v > q * q) return v >= q ? 1 : 2;
            const double k = std::floor(1 + log(v) / log(q));
            if (k >= 1) return to_integer(k);
        }
    }

private:
    double p_, r_;
};

// Devroye's rejection (1986), with differences from 1 taken where they are small.
struct Zipf {
    static constexpr auto name = "random_zipf";
    static constexpr std::uint64_t words = 2;
    explicit Zipf(double a) : less_1_(a - 1), b_less_1_(expm1(less_1_ * (ln2_high + ln2_low))), least_(power(0x1p63, -less_1_)) {}
    template <class Words> std::int64_t operator()(Words& words) const {
        if (less_1_ >= 1024) return 1;
        for (;;) {
            const double u = open_unit(words()), v = open_unit(words());
            const double x = std::floor(power(u * least_ + (1 - u), -1 / less_1_));
            if (!(x >= 1 && x < 0x1p63)) continue;
            const double t_less_1 = expm1(less_1_ * log1p(1 / x));
            if (v * x * t_less_1 * (b_less_1_ + 1) <= (t_less_1 + 1) * b_less_1_) return to_integer(x);
        }
    }

private:
    double less_1_, b_less_1_, least_;
};

struct NoncentralChiSquare {
    static constexpr auto name = "random_noncentral_chisquare";
    static constexpr std::uint64_t words = 8;
    double df, nonc;
    template <class Words> double operator()(Words& words) const {
        if (df != df || nonc != nonc) return nan;
        if (nonc == 0) return ChiSquare(df)(words);
        if (df > 1) {
            const double z = words.normal() + std::sqrt(nonc);
            return ChiSquare(df - 1)(words) + z * z;
        }
        return ChiSquare(df + 2 * static_cast<double>(Poisson(nonc / 2)(words)))(words);
    }
};

struct NoncentralF {
    static constexpr auto name = "random_noncentral_f";
    static constexpr std::uint64_t words = 16;
    double dfnum, dfden, nonc;
    template <class Words> double operator()(Words& words) const {
        const double numerator = NoncentralChiSquare{dfnum, nonc}(words) / dfnum;
        return numerator / (ChiSquare(dfden)(words) / dfden);
    }
};

}  // namespace draws
}  // namespace
}  // namespace asnumpy
