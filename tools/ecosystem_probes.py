"""Work in which other libraries meet arrays of ours, and what comes of it: the rows of docs/ecosystem.md."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, replace

# Every piece begins with this; np is NumPy or asnumpy.
PREAMBLE = """
x = np.linspace(0.1, 2, 20)
a = np.arange(64.0).reshape(8, 8) / 64
k = np.array([3, 1, 2])
m = np.array([True, False, True])
"""


@dataclass(frozen=True)
class Probe:
    """Code whose last value is `result`, whose that is with asnumpy, and where it fails: how, why and the remedy."""

    tried: str
    code: str
    gives: str = ""    # asnumpy, NumPy, or the library's name; nothing: numbers, text and such
    fails: str = ""    # the exception's class, or "silently"
    why: str = ""
    remedy: str = ""   # code in place of `code` that gives NumPy's result; nothing: there is none
    shown: str = ""    # what the page shows of the remedy


def _with(before: str, *probes: Probe) -> list[Probe]:
    """The pieces, each of which begins with these lines."""
    return [
        replace(
            one, code=f"{before}\n{one.code}", remedy=one.remedy and f"{before}\n{one.remedy}",
            shown=one.shown or one.remedy.rpartition("\n")[2].removeprefix("result = "),
        )
        for one in probes
    ]


PANDAS = _with(
    """import pandas as pd
s = pd.Series([0.5, 1.0, numpy.nan, 3.0])
df = pd.DataFrame(numpy.arange(12.0).reshape(3, 4), columns=list("abcd"))
b = np.arange(12.0).reshape(3, 4)""",
    Probe("`DataFrame`, `Series`, `Index` of arrays", "result = [pd.DataFrame(b), pd.DataFrame({'v': x}), pd.Series(x), pd.Index(k)]", "pandas"),
    Probe("`np.asarray(frame)`, `np.array(series)`", "result = [np.asarray(df) * b, np.array(s)]", "asnumpy"),
    Probe("`matrix * frame`, `frame * matrix`, comparisons, `&`, `divmod`", "result = [b * df, df * b, b - df, df == b, (b > 3) & (df > 2), *divmod(df, b + 1)]", "pandas"),
    Probe("`line * series`, `series + line`, `series += line`", "s += x[:4]\nresult = [x[:4] * s, s - x[:4], s > x[:4], s]", "pandas"),
    Probe("ufuncs of both: `np.maximum(series, line)`, `np.hypot(frame, matrix)`", "result = [np.maximum(s, x[:4]), np.hypot(df, b), np.add(b, df), np.sin(df)]", "pandas"),
    Probe("`matrix @ frame`, `frame @ matrix`, `frame.dot`", "result = [b @ df.T, df @ b.T, df.dot(x[:4])]", "pandas"),
    Probe("`isin`", "result = [s.isin(np.array([1.0, np.nan])), df.isin(x * 10), s.isin(k)]", "pandas"),
    Probe("`replace`, `fillna`, `clip`, `where`, `mask`, `between`", "result = [s.replace(np.array([1.0, 3.0]), 9), s.fillna(x[0]), s.clip(x[:4]), df.where(b > 5, b), df.mask(b > 5), s.between(x[:4], 2)]", "pandas"),
    Probe("`iloc`, `loc`, `take`, `reindex`, `drop` by integers", "result = [df.iloc[k - 1], s.loc[k], df.take(k - 1), df.reindex(k), df.drop(index=k - 1)]", "pandas"),
    Probe("results of `groupby` back in arrays", "g = df.assign(g=m).groupby('g')\nresult = [np.asarray(g.sum()) * 2, np.asarray(g['a'].mean()) + x[:2], np.asarray(g.agg(np.mean))]", "asnumpy"),
    Probe("`merge`, `concat`, `pivot_table`, `crosstab`, `cut`", "t = pd.DataFrame({'k': k, 'v': x[:3]})\nresult = [t.merge(t, on='k'), pd.concat([t, t]), pd.pivot_table(t, index='k'), pd.crosstab(k, k), pd.cut(x, [0, 1, 3]).codes]", "pandas"),
    Probe("`eval` and `query` with `@array`", "result = [df.eval('a + @k'), df.query('a in @x')]", "pandas"),
    Probe("masks in brackets: `frame[mask]`, `iloc`, `loc`, of rows and columns, of an `Index`; assigned to", "c = np.array([True, False, True, False])\nd = df.copy()\nd.iloc[m, 0] = -1\nd[b > 6] = 0\nresult = [df.iloc[m], df[m], df.loc[m, 'b'], s.iloc[c], s[c], df.iloc[:, c], df.columns[c], df.index[m], d]", "pandas"),
    Probe("`groupby(array)`, `set_index(array)`, also in a list of keys", "result = [df.groupby(k % 2).sum(), df.groupby([k % 2, 'a']).sum(), df.set_index(k), df.set_index([k, 'a'])]", "pandas"),
    Probe("`frame.mul(matrix)` and the like, `series.eq(line)`, `frame += matrix`", "d = df.copy()\nd += b\nresult = [df.mul(b), df.rsub(b), df.lt(b), s.eq(x[:4]), d]", "pandas"),
    Probe("`frame == number` of an array, arithmetic with one", "result = [df == x[9], df + x[3], x[3] - df, s * x[2], pd.Index([1, 2]) + k[0], str(df == x[9])]", "pandas"),
    Probe("`Categorical`, `factorize`, `unique`, `Index.get_loc`", "result = [pd.Categorical(k).categories, pd.factorize(k)[0], pd.unique(k), pd.Index([3, 1, 2]).get_loc(k[0])]", ""),
    Probe("functions whose results are Numbers: `map`, `apply`, `agg`", "result = [s.dropna().map(lambda v: x[int(v)]), s.apply(lambda v: x[1] * 2), df.apply(lambda c: np.asarray(c).mean()), s.agg(lambda v: np.asarray(v[:2]).sum()), s.map({0.5: x[1]})]", ""),
    Probe("Numbers as labels: `frame.at[k[0], 'a']`, `iat`, `series[k[0]]`, `get`, slices", "result = [df.at[k[1], 'a'], df.iat[k[1], k[0]], s[k[0]], s.get(k[0]), df.loc[k[0] : k[1]], pd.Series([1.0, 2.0, 3.0], index=[3, 0, 1])[k[0]]]", ""),
    Probe("tables made of Numbers: rows, columns, dicts, `frame['v'] = number`", "d = pd.DataFrame({'v': [x[0], x[1]]})\nd['w'] = x[2]\nd['z'] = [x[3], x[4]]\nd.loc[len(d)] = [x[0], x[1], x[2]]\nresult = [d, pd.DataFrame([{'m': w.mean()} for w in a]), pd.DataFrame([[x[0], 1.0]]), pd.Series([x[0], 0.5]), pd.Series({'p': x[3]}), pd.Index([x[0], x[1]])]", "pandas"),
    Probe("Numbers as counts: `date_range(periods=k[1])`, `rolling(k[1])`, `diff`, `qcut`, `Timedelta(days=k[1])`", "result = [pd.date_range('2020', periods=k[1]), s.rolling(k[1]).sum(), s.diff(k[0]), pd.qcut(df['a'], k[1]).cat.codes, str(pd.Timedelta(days=k[1]))]", ""),
    Probe("`Interval(number, number)`", "result = str(pd.Interval(k[0], k[0] + 1))", ""),
)

SYMPY = _with(
    """import sympy
u, v = sympy.symbols("u v")""",
    Probe('`lambdify(..., modules="asnumpy")`', "f = sympy.lambdify((u, v), sympy.sin(u) * v + sympy.exp(-u**2) + sympy.Abs(u - 1) + sympy.atan2(u, v), modules=np.__name__)\nresult = f(x, 2.0)", "asnumpy"),
    Probe("the same with `Piecewise`, `Max`, `conjugate`, `Heaviside`, matrices", "f = sympy.lambdify(u, [sympy.Piecewise((u, u > 1), (0, True)), sympy.Max(u, 1) + sympy.conjugate(u), sympy.Heaviside(u - 1)], modules=np.__name__)\ng = sympy.lambdify(u, sympy.Matrix([[u, u**2], [1, sympy.pi]]), modules=np.__name__)\nresult = [*f(x), g(2.0)]", "asnumpy"),
    Probe("the same with special functions (`erf`, `gamma`, `besselj`)", "f = sympy.lambdify(u, sympy.erf(u) + sympy.gamma(u) + sympy.besselj(0, u), modules=[np.__name__, 'scipy'])\nresult = f(x)", "asnumpy"),
    Probe('`modules="numpy"` and `["scipy", "numpy"]` with our arrays', "result = [sympy.lambdify(u, sympy.sin(u) ** 2, modules='numpy')(x), sympy.lambdify(u, sympy.erf(u), modules=['scipy', 'numpy'])(x)]", "asnumpy"),
    Probe("`Matrix`, `Array` of arrays; `Float`, `Integer`, `nsolve`, `subs` with Numbers", "result = [str(w) for w in (sympy.Matrix(a[:2, :2]), sympy.Array(a[:2]), sympy.Float(x[3]), sympy.Integer(k[0]), u * x[3], u.subs(u, x[3]), sympy.nsolve(u**2 - 2, x[0]))]"),
    Probe("`array * symbol`: an array of objects, NumPy's", "result = [str(w) for w in x * u]"),
    Probe("`symbol * array`", "result = [str(w) for w in u * x]", "", "TypeError", "sympy asks for NumPy's class", "result = [str(w) for w in x * u]"),
)

NETWORKX = _with(
    "import networkx as nx",
    Probe("`from_numpy_array`, `to_numpy_array`", "g = nx.from_numpy_array(a)\nresult = [nx.to_numpy_array(g), g.number_of_edges(), np.asarray(nx.to_numpy_array(g)) @ x[:8]]", "NumPy"),
    Probe("edges, nodes, weights and positions from arrays", "g = nx.Graph()\ng.add_edges_from(np.array([[0, 1], [1, 2], [2, 0], [2, 3]]))\ng.add_weighted_edges_from((i, i + 1, w) for i, w in enumerate(x[:3]))\nresult = [g.number_of_nodes(), g.degree[k[0]], k[0] in g, nx.dijkstra_path_length(g, 0, 3)]"),
    Probe("`pagerank`, spanning trees, components, layouts", "g = nx.from_numpy_array(a > 0.3)\nresult = [sorted(nx.pagerank(g).values()), nx.minimum_spanning_tree(g).size(), nx.number_connected_components(g), nx.spring_layout(g, pos=dict(enumerate(a[:, :2])), seed=1, iterations=3)[0]]", ""),
    Probe("the Laplacian as a matrix of ours", "result = np.linalg.eigvalsh(np.asarray(nx.laplacian_matrix(nx.cycle_graph(5)).toarray(), dtype=float))", "asnumpy"),
)

STATSMODELS = _with(
    """import statsmodels.api as sm
X, y = sm.add_constant(x), 2 * x + np.sin(x * 9)""",
    Probe("`OLS`, `WLS`, `RLM`: parameters, p-values, predictions, `summary()`", "f = sm.OLS(y, X).fit()\nresult = [f.params, f.pvalues, f.predict(X), f.get_prediction(X[:2]).conf_int(), len(str(f.summary())), sm.WLS(y, X, weights=x).fit().params, sm.RLM(y, X).fit().params]", "NumPy"),
    Probe("`GLM` (binomial, Poisson), `Logit`", "result = [sm.GLM((y > 2).astype(float), X, family=sm.families.Binomial()).fit().params, sm.GLM(np.round(y), X, family=sm.families.Poisson()).fit().params, sm.Logit((x + np.sin(x * 9) > 1).astype(float), X).fit(disp=0).params]", "NumPy"),
    Probe("time series (`acf`, `seasonal_decompose`), `lowess`, `qqplot`", "result = [sm.tsa.acf(y, nlags=3), sm.tsa.seasonal_decompose(y, period=4).trend[3:5], sm.nonparametric.lowess(y, x)[:2]]", "NumPy"),
)

SKIMAGE = _with(
    """from skimage import color, exposure, feature, filters, measure, morphology, restoration, segmentation, transform, util
g = np.sin(np.arange(400).reshape(20, 20) / 30.0) * 0.5 + 0.5
rgb = np.stack([g, g.T, 1 - g], axis=-1)""",
    Probe("`filters`: Gaussian, Sobel, median, Otsu, Gabor, `rank`", "result = [filters.gaussian(g, 1), filters.sobel(g), filters.median(g), filters.threshold_otsu(g), filters.gabor(g, 0.3)[0], filters.rank.mean((g * 255).astype('uint8'), morphology.disk(2))]", "NumPy"),
    Probe("`transform`: `resize`, `rotate`, `rescale`, `warp`, `radon`", "result = [transform.resize(g, (10, 10)), transform.rotate(g, 30), transform.rescale(g, 0.5), transform.warp(g, transform.AffineTransform(rotation=0.1)), transform.radon(g, theta=np.arange(2.0) * 30, circle=False)]", "NumPy"),
    Probe("`measure`: `label`, `regionprops`, contours, moments", "w = measure.label(g > 0.6)\nresult = [w, measure.regionprops_table(w, g, properties=('area', 'mean_intensity')), len(measure.find_contours(g, 0.5)), measure.profile_line(g, (0, 0), (5, 5)), measure.shannon_entropy(g)]", "NumPy"),
    Probe("`morphology`, `exposure`: dilation, opening, equalisation", "result = [morphology.dilation(g), morphology.opening(g), exposure.equalize_hist(g), exposure.adjust_gamma(g, 2), exposure.match_histograms(g, g.T)]", "asnumpy"),
    Probe("`color`, `feature`, `segmentation`, `restoration`", "result = [color.rgb2lab(rgb), feature.canny(g), feature.peak_local_max(g), feature.hog(g, pixels_per_cell=(5, 5)), segmentation.slic(rgb, n_segments=4), segmentation.felzenszwalb(g), restoration.denoise_bilateral(g)]", "NumPy"),
    Probe("`hough_line`, `marching_cubes`, `view_as_windows`, `watershed` and `warp` with arrays, a ball of a Number", "w = np.zeros((20, 20), dtype=int)\nw[2, 2], w[15, 15] = 1, 2\nresult = [transform.hough_line(g > 0.6)[0], measure.marching_cubes(np.stack([g] * 5), 0.5)[0], util.view_as_windows(g, (5, 5)), segmentation.watershed(g, w), transform.warp(g, np.eye(3) + 0.01 * (np.arange(9.0).reshape(3, 3) == 2)), morphology.ball(k[1])]", "NumPy"),
)

PIL = _with(
    "from PIL import Image, ImageChops, ImageFilter\npicture = Image.fromarray((a * 255).astype('uint8'))",
    Probe("`Image.fromarray` (grey, colour, float, bool), `np.asarray(image)`", "result = [np.asarray(w) for w in (picture, Image.fromarray((np.stack([a] * 3, axis=-1) * 255).astype('uint8')), Image.fromarray(a.astype('float32')), Image.fromarray(a > 0.5))]", "asnumpy"),
    Probe("filters, pasting, blending, sizes and pixels from arrays", "w = picture.copy()\nw.paste(picture, (0, 0), Image.fromarray((a > 0.5).astype('uint8') * 255))\nw.putpixel((1, 1), int(k[0]))\nresult = [np.asarray(one) for one in (w, picture.filter(ImageFilter.BLUR), picture.resize((k[0], k[2])), ImageChops.add(picture, w), Image.blend(picture, w, x[3]))]", "asnumpy"),
)

_FIGURE = """import matplotlib.pyplot as plt
figure, axes = plt.subplots(2, 2, figsize=(3, 2))
p, q, r, t = axes.ravel()"""
_DRAWN = """
figure.canvas.draw()
result = numpy.asarray(figure.canvas.buffer_rgba()).astype(int)
plt.close("all")"""


def _plot(tried: str, code: str, fails: str = "", why: str = "", remedy: str = "") -> Probe:
    drawn = [f"{_FIGURE}\n{one}{_DRAWN}" if one else "" for one in (code, remedy)]
    return Probe(tried, drawn[0], "NumPy", fails, why, drawn[1], remedy.rpartition("\n")[2])


MATPLOTLIB = [
    _plot("category axes, dates, text", "p.bar(np.array(['p', 'q', 'r']), k)\nq.scatter(['p', 'q', 'r'], k, c=k)\nr.barh(['p', 'q', 'r'], k, xerr=x[:3])\nt.plot(np.arange('2024-01-01', '2024-01-04', dtype='M8[D]'), k)\nt.bar_label(q.bar(['p', 'q', 'r'], k))\np.table(a[:2, :2])"),
    _plot("colour maps and norms: `cmap(array)`, listed, segmented, logarithmic, boundaries, two slopes", "from matplotlib import colors\np.imshow(plt.get_cmap('viridis')(a))\nq.imshow(a, cmap=colors.ListedColormap(plt.get_cmap('jet')(np.linspace(0, 1, 5))))\nr.pcolormesh(a + 0.1, norm=colors.LogNorm(vmin=0.1, vmax=a.max()))\nt.pcolormesh(a, norm=colors.BoundaryNorm(np.linspace(0, 1, 5), 256))\nt.scatter(x, x, color=np.stack([x / 2] * 3, axis=1))\nq.imshow(a, norm=colors.TwoSlopeNorm(a.mean(), a.min(), a.max()), cmap=colors.LinearSegmentedColormap.from_list('u', np.array([[0, 0, 0], [1, 0.5, 0]])))"),
    _plot("lines: `step`, `stairs`, `stem`, `stackplot`, `fill_between`, `errorbar`, `eventplot`, logarithmic axes", "p.step(x, x)\np.stairs(k, np.arange(4))\nq.stem(x, x)\nq.stackplot(x, x, x * 2)\nr.fill_between(x, x, x * 2, where=x > 1)\nr.errorbar(x, x, yerr=np.stack([x, x]), xerr=x[0])\nt.loglog(x, x)\nt.eventplot([x, x * 2])"),
    _plot("distributions: `hist`, `hist2d`, `hexbin`, `boxplot`, `violinplot`, `ecdf`, `pie`", "p.hist([x, x * 2], bins=4, stacked=True)\nq.hist2d(x, x, bins=(np.linspace(0, 2, 3), np.linspace(0, 2, 3)), weights=x)\nr.boxplot(a)\nr.violinplot([x, x * 2], positions=np.array([1, 3]))\nr.ecdf(x)\nt.hexbin(x, x, C=x, gridsize=4)\nt.pie(k, explode=x[:3] / 10)"),
    _plot("fields: `contour`, `tricontourf`, `tripcolor`, `quiver`, `barbs`, `streamplot`, `pcolor`, `spy`", "p.contourf(x[:8], x[:8], a)\np.contour(a, levels=np.linspace(0, 1, 4))\nq.tricontourf(x, np.sin(x * 9), x)\nq.tripcolor(x, np.sin(x * 9), x)\nr.quiver(x[:8], x[:8], a, a.T, a)\nr.barbs(x, x, x * 9, x)\nt.streamplot(np.arange(8.0), np.arange(8.0), a + 0.1, a.T + 0.1, density=0.2)\nt.spy(a > 0.5)"),
    _plot("signals: `psd`, `csd`, `cohere`, spectra, `acorr`", "w = np.sin(np.arange(600.0))\np.psd(w, NFFT=64)\nq.csd(w, w**2, NFFT=64)\nr.magnitude_spectrum(x)\nr.phase_spectrum(x)\nt.acorr(x)\nt.cohere(w, np.cos(np.arange(600.0) ** 1.1), NFFT=64)"),
    _plot("patches, paths, collections, annotations, limits, data that is set anew", "from matplotlib import collections, patches\nfrom matplotlib.path import Path\np.add_patch(patches.Polygon(a[:3, :2]))\np.add_patch(patches.PathPatch(Path(a[:4, :2])))\nq.add_collection(collections.LineCollection(np.stack([a[:4, :2], a[4:, :2]], axis=1), array=x[:4]))\nq.annotate('u', xy=x[:2], xytext=(x[2], x[3]), arrowprops={})\nr.set_xlim(x.min(), x.max())\nr.axvspan(x[0], x[1])\nline, = r.plot(x)\nline.set_data(x, x**2)\nw = t.scatter(x, x)\nw.set_offsets(np.stack([x, x], axis=1))\nw.set_array(x)\nfigure.colorbar(t.imshow(a), ticks=np.linspace(0, 1, 3))"),
    _plot("polar and three-dimensional axes", "figure.clf()\np = figure.add_subplot(121, projection='polar')\np.bar(k, k)\nq = figure.add_subplot(122, projection='3d')\nX, Y = np.meshgrid(x[:4], x[:4])\nq.plot_surface(X, Y, a[:4, :4])\nq.scatter(x, x, x, c=x)\nq.bar3d(k, k, 0, 1, 1, k)\nq.plot_trisurf(x[:8], np.sin(x[:8] * 9), a[0])"),
    _plot("`streamplot` with arrays of colours and widths, from points, with Numbers", "g = np.arange(8.0)\np.streamplot(g, g, a + 0.1, a.T + 0.1, color=a, linewidth=a * 3, density=0.2)\nq.streamplot(g, g, np.where(a > 0.9, np.nan, a), a.T, linewidth=a, density=x[1], arrowsize=x[9])\nr.streamplot(g, g, a + 0.1, a.T + 0.1, start_points=np.array([[1.0, 2], [3, 4]]), minlength=x[0], maxlength=x[9])\nt.streamplot(g, g, a + 0.1, a.T + 0.1, density=x[1:3], color=(x[0], x[1], x[2]))"),
    _plot("light and pictures: `LightSource`, `to_rgba` of colours, `figimage`, `imshow` with an array of `alpha`, `imsave`", "import io\nfrom matplotlib import cm, colors\nw = np.stack([a, a.T, a / 2], axis=-1)\nlight = colors.LightSource(x[9] * 90, x[8] * 40)\np.imshow(light.hillshade(a, vert_exag=x[9], dx=x[0]))\np.imshow(light.shade(a, plt.get_cmap('jet'), vmin=x[0], blend_mode='soft'), alpha=a)\nq.imshow(light.shade_rgb(w, a, fraction=x[8]))\nr.imshow(cm.ScalarMappable(cmap='jet').to_rgba(w, alpha=x[3]))\nt.matshow(a, alpha=a, vmin=x[0])\nt.imshow(w, extent=(x[0], x[1], x[2], x[3]))\nfigure.figimage(w, k[0], k[1])\nsaved = io.BytesIO()\nplt.imsave(saved, a, vmin=x[0], format='png')\nsaved.seek(0)\nt.imshow(plt.imread(saved), extent=np.array([0, 1, 0, 2]))"),
    _plot("markers, colours of lines, legends, ticks and limits made of arrays and Numbers", "c = np.array([[0.1, 0.2, 0.3], [0.9, 0.2, 0.1], [0.2, 0.7, 0.3]])\nnames = np.array(['p', 'q', 'r'])\nline, = p.plot(x, x, marker=a[:3, :2] - 0.1, ms=x[9] * 9, mfc=c[0], mec=c[1], markevery=k)\nline.set_markerfacecolor(c[1])\nline.set_markeredgecolor(c[2])\np.scatter(x, x, s=x * 9, marker=a[:3, :2], linewidths=x, edgecolors=np.stack([x / 2] * 3, axis=1))\nq.plot(x, color=c[0], label='u')\nq.plot(x + 1, 'o', mfc=c[1], mec=c[2], markevery=(k[1], k[0]), label=names[0])\nq.legend(labelcolor='mfc', loc=(x[0], x[1]), framealpha=x[1])\nq.tick_params(color=c[0], labelcolor=c[1], width=x[3], labelsize=k[0] * 2)\nr.set_xlim(x[:1], x[9:10])\nr.set_ylim(x[:2])\nr.set_xticks(k, names)\nr.set_title(x[0], fontsize=k[0] * 3, color=c[0])\nr.axline(x[:2], slope=x[3])\nr.text(x[0], x[1], x[2], rotation=x[3] * 20)\nt.plot(a[:, :3], label=names, linestyle=(x[0], (k[0], k[1])))\nt.set_prop_cycle(color=c)\nt.arrow(x[0], x[1], x[2], x[3], width=x[0])\nt.legend(loc=x[:2], ncols=k[2], labelcolor=c)"),
    _plot("bars, lines and tables: `broken_barh`, `grouped_bar`, `bar_label`, `bxp`, `violin`, `hlines`, `vlines`, `table`", "from matplotlib import cbook\nc = np.array([[0.1, 0.2, 0.3], [0.9, 0.2, 0.1], [0.2, 0.7, 0.3]])\np.broken_barh(np.stack([x[:3], x[3:6]], axis=1), x[:2], facecolors=c)\nbars = p.bar(k, x[:3], width=x[:3], bottom=x[3:6], color=c, yerr=np.stack([x[:3]] * 2), linewidth=x[:3], capsize=k[0])\np.bar_label(bars, labels=k, padding=k[0])\nq.bxp(cbook.boxplot_stats(a, whis=x[3]), positions=np.arange(8) * 2, widths=x[:8])\nq.boxplot(a, notch=True, usermedians=x[:8], conf_intervals=np.stack([x[:8], x[:8] * 2], axis=1), positions=np.arange(8))\nr.violin([{'coords': x, 'vals': x[::-1], 'mean': x[3], 'median': x[4], 'min': x[0], 'max': x[9]}], positions=[k[0]], widths=x[0])\nr.violinplot(a, np.arange(8), quantiles=[x[:2]] * 8, bw_method=x[3], points=k[0] * 10)\nr.hist([x, x * 2], bins=x[::4], weights=[x, x], color=c[:2], bottom=x[0])\nt.hlines(k, x[:3], x[3:6], colors=c, linewidth=x[3:6])\nt.vlines(x, x[0], x, alpha=x[3])\nt.table(a[:2, :2], colWidths=x[:2], cellColours=np.stack([c[:2]] * 2), colLabels=k[:2])\nt.fill_betweenx(x, x, x[0], where=x > 1)\nif hasattr(p, 'grouped_bar'):\n    p.grouped_bar([x[:3], x[3:6]], positions=np.arange(3) * 2, bar_spacing=x[0], colors=c[:2])"),
    _plot("levels, keys and grids: `clabel`, `quiverkey`, `triplot`, `tricontour`, `pcolorfast`, `tripcolor` of faces, colour bars", "from matplotlib import tri\nc = np.array([[0.1, 0.2, 0.3], [0.9, 0.2, 0.1], [0.2, 0.7, 0.3]])\nlines = p.contour(x[:8], x[8:16], a, levels=x[:3] / 2, colors=c, linewidths=x[3:6], extent=x[:4])\np.clabel(lines, lines.levels[1:], fontsize=k[0] * 2, colors=c[:1])\nfield = q.quiver(a, a.T, a, scale=x[9] * 9, width=x[0] / 9, angles=a * 90)\nq.quiverkey(field, x[2], x[3], k[0], 'u', color=c[0], labelcolor=c[1])\nr.triplot(x[:4], np.sin(x[:4] * 9), triangles=np.array([[0, 1, 2], [1, 2, 3]]), mask=np.array([True, False]))\nr.tricontour(x, np.sin(x * 9), x, levels=k[0], colors=c)\nr.tripcolor(tri.Triangulation(x[:4], np.sin(x[:4] * 9), [k, [k[0], 0, k[2]]]), facecolors=x[:2])\nt.pcolorfast(x[:9] ** 2, x[:9], a, vmin=x[0])\nw = t.pcolormesh(x[:9], x[:9], a, alpha=a, edgecolors=c[0], clim=x[:2])\nfigure.colorbar(w, ticks=x[:3], boundaries=x[:5], values=x[:4], shrink=x[4], aspect=k[0] * 3)\nq.hexbin(x, x, C=x, gridsize=k[:2] * 2, extent=np.array([0, 2, -1, 1]), reduce_C_function=np.max, bins=x[:4])"),
    _plot("spectra with Numbers as lengths and rates: `specgram`, `psd`, `angle_spectrum`, `xcorr`", "w = np.sin(np.arange(600.0))\np.specgram(w, NFFT=k[0] * 32, noverlap=k[1], Fs=x[3], pad_to=k[0] * 64, window=np.hanning(96))\nq.psd(w, NFFT=k[0] * 32, pad_to=k[0] * 64, Fs=x[3])\nr.angle_spectrum(w, pad_to=k[0] * 300)\nr.magnitude_spectrum(w, Fc=k[0], Fs=x[3], scale='dB')\nt.cohere(w, np.cos(np.arange(600.0) ** 1.1), NFFT=k[0] * 32)\nt.xcorr(x, x, maxlags=k[0])"),
    _plot("three dimensions: `voxels`, `plot_wireframe`, `contour`, `quiver`, `stem`, `errorbar`, `text`, limits", "figure.clf()\nX, Y = np.meshgrid(x[:4], x[:4])\nw = np.stack([a[:3, :3], a[:3, :3].T, a[:3, :3] / 2], axis=-1)\np, q, r, t = (figure.add_subplot(2, 2, i, projection='3d') for i in (1, 2, 3, 4))\np.voxels(w > 0.05, facecolors=np.stack([w] * 3, axis=-1), edgecolor=w[0, 1])\nq.plot_wireframe(X, Y, a[:4, :4], rstride=k[1], color=x[:3])\nq.contour(X, Y, a[:4, :4], levels=x[:4] / 2, offset=x[0])\nq.plot_surface(X, Y, a[:4, :4], facecolors=np.stack([X, Y, X], axis=-1) / 2)\nr.quiver(x, x, x, x, x, x, length=x[0], color=np.stack([x / 2] * 3, axis=1))\nr.stem(x, x, x, bottom=x[0])\nr.text(x[0], x[1], x[2], 'u', zdir=(k[0], k[1], k[2]))\nt.errorbar(x, x, x, zerr=np.stack([x, x]), xerr=x[0], errorevery=k[0])\nt.bar(k, x[:3], zs=k[0], zdir='y', width=x[:3])\nt.set_xlim(x[0], x[9])\nt.set_zlim(x[:2])\nt.view_init(elev=x[9] * 9, azim=x[3] * 90)\nt.set_box_aspect(x[3:6] + 1)"),
    Probe("layouts by constraints and grids with Numbers, files of PDF, secondary axes, insets", _FIGURE + "\nimport io\nfigure.clf()\np, q = figure.subplots(1, 2, width_ratios=k[:2])\nfigure.set_layout_engine('constrained', w_pad=x[0], rect=(x[0], x[1], x[8], x[8]))\nw = p.imshow(a, alpha=x[4])\nfigure.colorbar(w, ax=p, pad=x[0], shrink=x[4])\np.set_title('u', fontsize=k[0] * 3, pad=k[0])\nq.plot(x, lw=x[9], color=x[:3])\nq.secondary_xaxis(x[4], functions=(lambda v: v * x[3], lambda v: v / x[3]))\nq.inset_axes(x[:4] / 3).plot(x, alpha=x[3])\nfigure.savefig(io.BytesIO(), format='pdf')\nresult = [numpy.round(w.get_position().bounds, 4) for w in (p, q)]\nplt.close('all')", "NumPy"),
    Probe("triangulations, norms, boxes and spectra by themselves", "from matplotlib import colors, mlab, tri, transforms\nw = np.sin(x * 9)\nt = tri.Triangulation(x, w)\nnorms = [colors.LogNorm(x[0], x[9]), colors.TwoSlopeNorm(x[3], x[0], x[9]), colors.SymLogNorm(x[0], vmin=x[1], vmax=x[9])]\nresult = [tri.CubicTriInterpolator(t, x)(x[3:6], w[3:6]), tri.UniformTriRefiner(t).refine_field(x, subdiv=k[2])[1], t.get_trifinder()(x, w), *(n(x) for n in norms), *(n.inverse(a) for n in norms), colors.rgb_to_hsv(x[:3]), colors.to_rgba_array([x[:3], (x[0], x[1], x[2])]), colors.to_hex(x[:3]), transforms.Bbox(a[:2, :2]).expanded(x[0], x[1]).bounds, transforms.Affine2D().rotate(x[0]).translate(x[1], k[0]).transform(a[:, :2]), *mlab.psd(np.sin(np.arange(99.0)), NFFT=k[0] * 16)]", ""),
]

WORKERS = [
    *_with("import joblib",
           Probe("joblib: `Parallel` with threads", "result = joblib.Parallel(2, backend='threading')(joblib.delayed(np.exp)(a * i) for i in range(4))", "asnumpy"),
           Probe("joblib: `Parallel` with processes (loky)", "result = joblib.Parallel(2)(joblib.delayed(np.exp)(a * i) for i in range(4))", "asnumpy"),
           Probe("joblib: `dump`, `load`, `hash`, `Memory`", "import tempfile\nfolder = tempfile.mkdtemp()\njoblib.dump({'a': a}, folder + '/x')\ncounted = []\ndef twice(v):\n    counted.append(1)\n    return v * 2\nw = joblib.Memory(folder, verbose=0).cache(twice)\nresult = [joblib.load(folder + '/x')['a'], w(a), w(a.copy()), len(counted), joblib.hash(a) == joblib.hash(a.copy()), joblib.hash(a) == joblib.hash(a + 1)]", "asnumpy")),
    *_with("import multiprocessing, concurrent.futures",
           Probe('multiprocessing: a pool, `"spawn"`', "with multiprocessing.get_context('spawn').Pool(1) as pool:\n    result = pool.map(np.exp, [a, a * 2])", "asnumpy"),
           Probe('multiprocessing: a pool, `"fork"`, after work on the CPU', "w = (a @ a).sum()\nwith multiprocessing.get_context('fork').Pool(1) as pool:\n    result = [*pool.map(np.exp, [a, a * 2]), w]", "asnumpy"),
           Probe("`concurrent.futures`: threads", "with concurrent.futures.ThreadPoolExecutor(2) as pool:\n    result = list(pool.map(np.exp, [a, a * 2]))", "asnumpy")),
]

XARRAY = _with(
    """import xarray as xr
d = xr.DataArray(a, dims=("y", "x"), coords={"y": np.arange(8.0), "x": np.arange(8.0) * 2})
n = xr.DataArray(numpy.array([3, 1, 2]), dims="n")""",
    Probe("arithmetic, reductions, `quantile`, `where`, `dot`, `apply_ufunc`", "result = [w.data for w in (d * 2 + d.T, d.mean('y'), d.std('x'), d.quantile(0.3, dim='x'), d.where(d > 0.3), xr.dot(d, d, dim='x'), xr.apply_ufunc(np.sin, d))]", "asnumpy"),
    Probe("`isel` and `sel`: slices, lists, masks, nearest, vectorised; assignment by them", "e = d.copy()\ne[dict(y=n, x=n)] = 9\nresult = [w.data for w in (d.isel(y=k), d.isel(y=d.y > 3), d.sel(y=[1.0, 3.0]), d.sel(y=2.5, method='nearest'), d.isel(y=n, x=n), d.sel(y=n.astype(float)), e)]", "asnumpy"),
    Probe("Numbers as indices and counts: `isel(y=k[0])`, `d[k[0]]`, `sel`, `shift`, `rolling`, `pad`", "result = [w.data for w in (d.isel(y=k[0], x=n), d[k[1], 1:], d.sel(y=k[0]), d.shift(x=k[1]), d.rolling(x=k[2]).mean(), d.pad(x=k[1]))]", "asnumpy"),
    Probe("`interp`, `interp_like`, `interpolate_na` (computed by SciPy and NumPy)", "result = [w.data for w in (d.interp(x=[1.0, 3.0]), d.interp(x=3.0, method='cubic'), d.interp(x=n * 1.0, y=n * 1.0), d.interp_like(d.isel(x=[0, 1])), d.where(d > 0.3).interpolate_na('x'))]", "asnumpy"),
    Probe("`groupby`, `groupby_bins`, `rolling`, `coarsen`, `weighted`", "result = [w.data for w in (d.groupby('y').mean(), d.groupby_bins('y', [0, 3, 7]).mean(), d.rolling(x=3).mean(), d.coarsen(x=2).mean(), d.weighted(d.x).mean('x'))]", "asnumpy"),
    Probe("`diff`, `cumsum`, `differentiate`, `integrate`, `polyfit`, `shift`, `pad`, `concat`, `stack`", "result = [w.data for w in (d.diff('x'), d.cumsum('x'), d.differentiate('x'), d.integrate('x'), d.polyfit('x', 1).polyfit_coefficients, d.shift(x=1), d.pad(x=1), xr.concat([d, d], 'y'), d.stack(z=('y', 'x')))]", "asnumpy"),
    Probe("Datasets, `to_pandas`, `to_series`", "result = [d.to_dataset(name='v').mean().v.data, d.to_pandas(), d.to_series().sum()]", ""),
)

STORES = [
    *_with("import zarr",
           Probe("zarr: whole arrays and chunks in and out, `oindex`, `vindex`, masks", "z = zarr.array(a, chunks=(4, 4))\nz[2:4] = a[:2]\nz[:, 1] = x[:8]\nresult = [z[:], z.oindex[k, :], z.vindex[k, k], z[a > 0.5], z[k[1], k[2]]]", "NumPy"),
           Probe("zarr: Numbers among lengths", "z = zarr.full((k[0], k[1]), x[1], chunks=(1, k[1]))\nz.resize((k[1], k[0]))\nresult = [z[:], zarr.zeros(k[0]).shape]", "NumPy"),
           Probe("zarr: a Number as an attribute", "z = zarr.array(a)\nz.attrs['s'] = x[0]\nresult = z.attrs['s']", "", "TypeError", "JSON takes Python's numbers", "z = zarr.array(a)\nz.attrs['s'] = float(x[0])\nresult = z.attrs['s']", "float(x[0])")),
    *_with("import h5py, io",
           Probe("h5py: datasets and chunks in and out, compressed; attributes, lists of rows", "with h5py.File(io.BytesIO(), 'w') as f:\n    z = f.create_dataset('x', data=a, chunks=(4, 4), compression='gzip')\n    z[2:4] = a[:2]\n    z[:, 1] = x[:8]\n    z.attrs['v'] = x\n    result = [z[:], z[k[1]:], z[np.array([1, 2])], z.attrs['v'], np.asarray(z) * 1]", "NumPy"),
           Probe("h5py: masks in brackets, `read_direct`, `write_direct`", "with h5py.File(io.BytesIO(), 'w') as f:\n    z = f.create_dataset('x', data=a)\n    z.write_direct(a * 2)\n    w = np.zeros((8, 8))\n    z.read_direct(w)\n    z[a > 0.5] = 0\n    result = [z[:], z[a > 0.2], numpy.asarray(w)]", "NumPy")),
]

PRODUCTS = [
    *_with("import einops",
           Probe("einops: `rearrange`, `reduce`, `repeat`, `einsum`, `pack`", "result = [einops.rearrange(a, '(p q) y -> p q y', p=2), einops.reduce(a, '(p q) y -> p y', 'mean', p=2), einops.repeat(k, 'i -> i j', j=2), einops.einsum(a, a, 'i j, k j -> i k'), einops.pack([a, a], '* y')[0]]", "asnumpy")),
    *_with("import opt_einsum",
           Probe("opt_einsum: `contract`, `contract_expression`", "result = [opt_einsum.contract('ij,jk,kl->il', a, a, a), opt_einsum.contract_expression('ij,jk->ik', (8, 8), (8, 8))(a, a)]", "asnumpy")),
]

NUMBA = _with(
    "import numba",
    Probe("functions of `njit`: arrays, Numbers, tuples of them, keywords; arrays that are written", "@numba.njit\ndef f(v, w=2.0):\n    for i in range(v.shape[0]):\n        v[i] *= w\n    return v.sum()\n@numba.njit\ndef g(pair):\n    return pair[0] + pair[1]\nresult = [f(x, w=x[1]), f(v=x), x, g((x, x[2])), g((a, a))]", ""),
    Probe("arrays that come out: new ones, arguments, tuples", "@numba.njit\ndef f(v):\n    return v * 2, v, (v[1:], v.T)\nresult = f(a)", "asnumpy"),
    Probe("`np.sqrt`, `np.zeros`, `np.linalg.norm`, `np.random` and `np.pi` in their source; global arrays and Numbers", "N = k[0]\n@numba.njit\ndef f(v):\n    np.random.seed(3)\n    made = np.zeros_like(v) + np.random.rand()\n    return np.sqrt(v) * np.pi + made * np.linalg.norm(v) + k.sum() * N\nresult = f(x)", "asnumpy"),
    Probe("`parallel=True` with `prange`, signatures written out, nested functions, generators", "@numba.njit(parallel=True)\ndef f(v):\n    made = np.empty(v.shape[0])\n    for i in numba.prange(v.shape[0]):\n        made[i] = v[i] ** 2\n    return made\n@numba.njit('float64(float64[:], int64)')\ndef g(v, i):\n    return v[i]\n@numba.njit\ndef h(v):\n    for i in range(3):\n        yield g(v, i)\nresult = [f(x), g(x, k[0]), list(h(x))]", "asnumpy"),
    Probe("`vectorize`, `guvectorize`, `stencil`", "@numba.vectorize\ndef f(v, w):\n    return v * w + 1\n@numba.guvectorize(['void(float64[:], float64[:], float64[:])'], '(n),(n)->(n)')\ndef g(v, w, made):\n    for i in range(v.shape[0]):\n        made[i] = v[i] + w[i]\n@numba.stencil\ndef h(v):\n    return 0.25 * (v[0, 1] + v[1, 0] + v[0, -1] + v[-1, 0])\nresult = [f(x, 2.0), g(a, a[0]), h(a)]", "asnumpy"),
    Probe("`jitclass`, `typed.List`, functions as SciPy's objectives", "import scipy.optimize\nl = numba.typed.List()\nl.append(x)\n@numba.njit\ndef f(v):\n    return np.sum((v - 3.0) ** 2)\nresult = [l[0].sum(), f(l[0]), numpy.round(scipy.optimize.minimize(f, x[:2]).x, 3)]", "NumPy"),
)

OPENCV = _with(
    "import cv2\ng = (a * 255).astype(np.uint8)\nc = np.stack([g, g.T, g], axis=-1)",
    Probe("filters, colours, thresholds, geometry, transforms, histograms", "result = [cv2.GaussianBlur(a, (3, 3), 1.0), cv2.cvtColor(c, cv2.COLOR_BGR2HSV), cv2.threshold(g, 99, 255, cv2.THRESH_BINARY), cv2.resize(g, (4, 4)), cv2.warpAffine(g, np.array([[1.0, 0, 1], [0, 1, 2]]), (8, 8)), cv2.dft(a), cv2.calcHist([g], [0], None, [4], [0, 256]), cv2.filter2D(a, -1, np.ones((3, 3)) / 9)]", "asnumpy"),
    Probe("drawing into arrays and their parts, with Numbers as coordinates; `dst=`", "d = np.zeros_like(g)\ncv2.circle(c, (k[0], k[1]), k[2], (255, 0, 0), -1)\ncv2.rectangle(g[2:6, 2:6], (0, 0), (1, 1), 255, -1)\ncv2.polylines(c, [np.array([[1, 1], [6, 2]], dtype=np.int32)], True, (0, 255, 0))\ncv2.blur(g, (3, 3), dst=d)\nresult = [c, g, d]", "asnumpy"),
    Probe("contours, components, lists of arrays", "found, tree = cv2.findContours((g > 99).astype(np.uint8), cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)\nresult = [*found, tree, cv2.contourArea(found[0]), cv2.merge([g, g]), *cv2.split(c), cv2.hconcat([g, g]), *cv2.connectedComponentsWithStats((g > 99).astype(np.uint8))]", "asnumpy"),
    Probe("methods and attributes of its classes", "w = cv2.KalmanFilter(2, 1)\nw.transitionMatrix = np.eye(2, dtype=np.float32) * 2\nresult = [w.transitionMatrix, cv2.createCLAHE().apply(g), cv2.UMat(g).get()]", "NumPy"),
    Probe("`imencode`, `imdecode`, `dnn.blobFromImage`", "result = [cv2.imdecode(cv2.imencode('.png', c)[1], cv2.IMREAD_COLOR), cv2.dnn.blobFromImage(c, 1 / 255.0)]", "asnumpy"),
)

ARROW = _with(
    "import pyarrow as pa",
    Probe("`array`, `scalar`, `table`, masks, lists of Numbers", "result = [pa.array(x).to_numpy(), pa.array([x[0], x[1]]).to_pylist(), pa.scalar(x[3]).as_py(), pa.table({'v': x, 'k': np.arange(20)})['k'].to_pylist(), str(pa.array(k, mask=m))]", "NumPy"),
    Probe("`take`, `filter` and functions of `pyarrow.compute` over arrays and Numbers", "import pyarrow.compute as pc\nh = pa.array([10, 20, 30, 40])\nresult = [h.take(k).to_pylist(), pa.array(k).filter(m).to_pylist(), pc.add(h, x[:4]).to_pylist(), pc.multiply(h, k[0]).to_pylist()]", ""),
    Probe("`Tensor.from_numpy`", "result = pa.Tensor.from_numpy(a).to_numpy()", "NumPy", "ArrowTypeError", "PyArrow asks for NumPy's class", "result = pa.Tensor.from_numpy(np.to_numpy(a)).to_numpy()", "pa.Tensor.from_numpy(np.to_numpy(a))"),
)

POLARS = _with(
    "import polars as pl\nd = pl.DataFrame({'v': x[:3], 'k': k})",
    Probe("`DataFrame`, `Series`, `from_numpy` of arrays; dicts and lists of Numbers", "result = [d.to_numpy(), pl.Series('v', x).to_numpy(), pl.from_numpy(a).to_numpy(), pl.DataFrame({'v': [x[0], x[1]]}).to_numpy(), str(pl.Series(k).dtype)]", "NumPy"),
    Probe("arithmetic and comparisons with arrays and Numbers, `lit`, masks", "s = pl.Series(x[:3])\nresult = [(s * x[:3]).to_numpy(), (s + x[0]).to_numpy(), d.filter(pl.col('k') > k[1]).to_numpy(), d.with_columns(w=pl.lit(x[1])).to_numpy(), s.filter(m).to_numpy(), np.sqrt(s) * 1]", "NumPy"),
)

ASTROPY = _with(
    "import astropy.units as u",
    Probe("quantities of arrays, functions of quantities", "q = x * u.m\nresult = [q.value, (q * q).unit.to_string(), np.sum(q).value, np.concatenate([q, q]).unit.to_string(), np.linspace(q[0], q[1], 3).unit.to_string(), (x[0] * u.s).value]", "NumPy"),
    Probe("tables: columns, rows by masks and lists of places", "from astropy.table import Table\nt = Table({'v': x[:3], 'k': k})\nt['w'] = x[:3] ** 2\nresult = [t[m]['w'].data, t[k - 1]['v'].data, t[k[1]]['k'], len(t)]", "NumPy"),
    Probe("FITS files, times, coordinates", "import io\nfrom astropy.io import fits\nfrom astropy.time import Time\nfrom astropy.coordinates import SkyCoord\nf = io.BytesIO()\nfits.PrimaryHDU(a).writeto(f)\nf.seek(0)\nresult = [fits.getdata(f) * 1.0, Time(x + 2450000, format='jd').isot.tolist(), SkyCoord(x, x, unit='deg').ra.deg]", "NumPy"),
)

QUANTITIES = _with(
    "import pint\nu = pint.UnitRegistry()\nq = u.Quantity(x, 'm')",
    Probe("pint: quantities of arrays; `concatenate`, `where`, `dot`, `sort`, `linspace` keep the unit", "result = [q.magnitude, np.concatenate([q, q]).magnitude, str(np.where(x > 1, q, q).units), str(np.dot(q, q).units), str(np.sort(q).units), str(np.linspace(q[0], q[1], 3).units), str(np.sqrt(q).units), str((2 * q + x[0] * u.cm).units)]", "asnumpy"),
)

SECTIONS: dict[str, list[Probe]] = {
    "pandas": PANDAS, "xarray": XARRAY, "sympy": SYMPY, "networkx": NETWORKX, "statsmodels": STATSMODELS,
    "scikit-image": SKIMAGE, "PIL": PIL, "matplotlib": MATPLOTLIB, "joblib and multiprocessing": WORKERS,
    "zarr and h5py": STORES, "einops and opt_einsum": PRODUCTS, "numba": NUMBA, "OpenCV": OPENCV, "PyArrow": ARROW,
    "polars": POLARS, "astropy": ASTROPY, "pint": QUANTITIES,
}
# What a section needs, where that is not in the extra `test`.
NEEDS = {
    "statsmodels": "statsmodels", "scikit-image": "skimage", "numba": "numba", "OpenCV": "cv2", "PyArrow": "pyarrow",
    "polars": "polars", "astropy": "astropy", "pint": "pint",
}


def missing(section: str) -> str:
    """The package that a section needs and that is not installed, else nothing."""
    name = NEEDS.get(section, "")
    return name if name and importlib.util.find_spec(name) is None else ""
