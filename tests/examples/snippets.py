"""What the language and the ecosystem imply, in a hundred and some snippets: each prints the same with NumPy as with asnumpy."""

from __future__ import annotations

from dataclasses import dataclass

# Every snippet begins with this.
PREAMBLE = """
import numpy
import asnumpy as np
x = np.arange(10.0) * 1.5 - 4
s = x.sum()
k = np.array([3, 1, 2])
a = np.arange(12.0).reshape(3, 4)
t = np.linspace(0, 1, 50)
host = numpy.arange(10.0)
"""


@dataclass(frozen=True)
class Snippet:
    """Code that prints; the packages that it needs beyond the standard library, NumPy and SciPy."""

    code: str
    needs: tuple[str, ...] = ()


def _group(needs: str = "", **codes: str) -> dict[str, Snippet]:
    return {name: Snippet(code.strip() + "\n", tuple(needs.split())) for name, code in codes.items()}


# Lists, indices and operators that meet values of a device.
LISTS = _group(
    array_of_sums="print(np.array([s, s]), np.array([s, s]).dtype)",
    array_of_rows="print(np.array([row * 2 for row in a]))",
    array_of_tables="print(np.array([[v.sum(), v.max()] for v in a]).shape, np.array([[s, 1], [2, s]]))",
    array_of_mixed="print(np.asarray([s, 2.0]), np.array([1, s, True]), np.array((s,)))",
    array_of_integers="print(np.array([k[0], k[1]]), np.array([k[0], 2]).dtype)",
    array_with_dtype="print(np.array([s, 2], dtype=np.float32).dtype, np.array([k[0], 1], dtype=float))",
    array_of_arrays_and_lists="print(np.array([a[0], [1, 2, 3, 4]]))",
    array_of_host_arrays="print(np.array([numpy.arange(3), k]))",
    array_of_generator="print(np.array(list(v * v for v in x)))",
    fromiter="print(np.fromiter((v for v in k), dtype=int), np.fromiter(map(float, x), float).sum())",
    add_list="print(x[:3] + [x.sum()] * 3)",
    list_on_the_left="print([1.0, s, 2.0] + x[:3], [s] * k)",
    compare_with_list="print(x[:2] == [x[0], 7], x[:2] < [s, s])",
    function_of_list="print(np.sum([s, s]), np.mean([x.min(), x.max()]), np.maximum([s, 1], 3))",
    stack_list="print(np.stack([x.min(), x.max()]), np.hstack([s, x[:2]]), np.concatenate([[s], x[:2], [1.0]]))",
    append_insert="print(np.append(x[:3], s), np.insert(x[:3], 1, s), np.append([], s))",
    column_stack="print(np.c_[x[:3], [s, s, s]], np.r_[s, x[:2], 0])",
    index_list="print(x[[x.argmax(), x.argmin()]])",
    index_pair="print(a[a.argmax() // 4, a.argmax() % 4], a[k[1], k[2]])",
    index_slice="print(x[k[1]:k[0] + 1], x[:x.argmax()], x[::k[2]])",
    index_mixed="print(a[[k[1], 0], 1:], a[k[2]])",
    index_plain_list="print(['a', 'b', 'c', 'd'][k[0]], list(range(10))[k[1]:k[0]], 'abcdef'[k[2]])",
    index_unravel="i = np.unravel_index(a.argmax(), a.shape); print(a[i], *i)",
    index_nonzero="print(x[np.nonzero(x > 2)[0][0]], [x[i] for i in np.flatnonzero(x > 5)][0])",
    set_list="x[:2] = [s, s]; x[2:4] = s, 1; print(x)",
    set_nested="a[:2, :2] = [[s, 1], [2, a[2, 2]]]; print(a)",
    set_by_list="x[[0, k[0]]] = [x[1], 5]; x[k] += [s, s, s]; print(x)",
    set_element="for i in range(3):\n    a[i, i] = a[i].sum() + x[i]\nprint(a)",
    set_from_host="x[:] = host; a[1] = numpy.ones(4); print(x, a)",
    set_mask_list="x[x > 7] = [s, 1]; print(x)",
    unpack="p, q, *rest = x; first, _, last = k; print(p, q, len(rest), first, last)",
    swap="x[0], x[-1] = x[-1], x[0]; print(x)",
    rows="for row in a: print(row.sum(), row[0], len(row))",
    elements="total = 0\nfor v in x:\n    if v > 0: total += v\nprint(total)",
    builtins="print(max(x), min(x), sum(x), sum(k), abs(x[0]), any(x > 3), all(x > 3))",
    sorting="print(*sorted(x, reverse=True)[:3], *sorted(k), *(n for _, n in sorted(zip(k, 'abc'))))",
    sort_by="print(sorted(range(3), key=lambda i: k[i]), max(range(10), key=x.__getitem__), min(a, key=sum))",
    zipping="print([f'{i}{n}{v:.1f}' for i, (n, v) in enumerate(zip('abc', x))], *map(int, k))",
    contains="print(2 in k, 9 in k, s in x, 3 in [k[0]], x[0] in {x[0]: 1})",
    ranges="print(list(range(x.argmax()))[-3:], len(range(k[0])), [0] * k[0], 'ab' * k[2])",
    conditional="print('large' if s > 3 else 'small', not s, bool(k[0]), s and 1, 0 < x[5] < 9, x[0] == -4)",
    numpy_mask="print(host[x > 2], host[k], host[k[0]], host[:k[0]])",
    numpy_mask_assign="host[x > 2] = 0; host[k] = x[k]; host[0] = s; print(host)",
    numpy_operators="print((host + x).sum(), (x - host).max(), host @ x, (host > x).any(), host * s)",
    numpy_in_place="host += x; host *= s; print(host)",
    numpy_with_device_list="print(numpy.array([s, s]), numpy.array([row for row in a]), numpy.asarray(x).sum())",
    reversed_and_slices="print([float(v) for v in reversed(x)][:2], x[slice(k[1], None, k[2])])",
    tuples_of_sizes="print(np.zeros((k[0], k[1])).shape, np.ones(k[2]), x[:6].reshape(k[0], -1).shape, np.arange(k[0]))",
    integer_arguments="print(np.roll(x, k[0])[0], np.repeat(k, k), np.eye(k[0]).trace(), np.linspace(0, s, k[0]))",
    axis_argument="print(a.sum(axis=k[1]), np.concatenate([a, a], axis=k[1]).shape, np.moveaxis(a, k[1], 0).shape)",
)

# Single numbers.
NUMBERS = _group(
    rounding="print(round(x.mean(), 2), round(x.mean()), round(s), round(k[0], -1), x.mean().round(1))",
    conversions="print(int(s), float(k[0]), complex(s), str(s), bool(s), s.item(), s.tolist())",
    math="import math\nprint(math.sqrt(x.max()), math.floor(s), math.ceil(s), math.trunc(s), math.gcd(k[0], 6), math.isclose(s, s + 1e-12), math.fsum(x), math.hypot(*x[:2]), math.comb(5, k[2]), math.prod(k), math.factorial(k[0]))",
    dict_keys="d = {k[0]: 'a', s: 'b'}; print(d[3], d[s], d[k[0]], 3 in d, {k[1], 1}.__len__())",
    counting="from collections import Counter\nc = Counter(np.array([1, 2, 1, 3])); print(c[1], c[2], sorted(c.values()), c.most_common(1)[0][1])",
    groups="from collections import defaultdict\nd = defaultdict(list)\nfor v in np.array([1, 2, 1, 3]): d[v % 2].append(v)\nprint({int(key): len(v) for key, v in d.items()}, sorted(d))",
    sets="print(len({v for v in np.array([1.0, 2.0, 1.0])}), set(k) == {1, 2, 3}, {k[0]} | {3}, hash(k[0]) == hash(3), hash(s) == hash(float(s)))",
    caching="from functools import lru_cache\n@lru_cache\ndef f(n): return n * 2\nprint(f(k[0]), f(3), f.cache_info().hits)",
    itertools="import itertools\nprint([int(v) for v in itertools.accumulate(k)], [int(v) for v, _ in itertools.groupby(np.array([1, 1, 2]))], len(list(itertools.combinations(k, 2))), *itertools.islice(x, k[2]))",
    reduce="import functools, operator\nprint(functools.reduce(operator.add, x), functools.reduce(lambda p, q: p * q, k))",
    numbers_classes="import numbers\nprint(isinstance(s, numbers.Number), isinstance(s, numbers.Real), isinstance(k[0], numbers.Integral), isinstance(s, numbers.Integral))",
    number_methods="print(x.max().is_integer(), s.real, s.imag, s.conjugate(), k[0].bit_count(), s.dtype, s.shape, s.ndim, s.as_integer_ratio())",
    power="print(pow(s, 2), 2 ** k[0], s ** 0.5, divmod(k[0], 2)[0], k[0] // 2, -s, +s, abs(-s), ~k[0], k[0] << 2)",
    formats="print(f'{s:.3f} {s:8.2e} {k[0]:05d} {k[0]:x} {x.mean():>10.1f}|{s!s}|{k[0]:,}', '%d %.2f %s' % (k[0], s, s), '{:g} {:.1%}'.format(s, x.mean()))",
    joins="print(', '.join(str(v) for v in x[:3]), ' '.join(map(str, k)), ' '.join(f'{v:.2f}' for v in a[0]))",
    statistics="import statistics\nprint(statistics.mean(x), statistics.median(x), statistics.stdev(x), statistics.mode(k), statistics.fmean(x))",
    decimal_fraction="from decimal import Decimal\nfrom fractions import Fraction\nprint(Decimal(float(x[0])), Fraction(int(k[0]), 7), Fraction(float(x[0])))",
    json_default="import json\nprint(json.dumps({'s': s, 'v': x[:2].tolist()}, default=float), json.dumps([float(v) for v in x[:3]]))",
    json_array="import json\nprint(json.dumps({'x': x, 'k': k}, default=lambda v: v.tolist()))",
    pickling="import pickle\nprint(pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps(s)) == s, pickle.loads(pickle.dumps({'a': a[1:, ::2]}))['a'])",
    copying="import copy\nb = copy.deepcopy({'x': x, 's': s}); x[0] = 9; print(b['x'][0], b['s'] + 1, copy.copy(x)[0])",
    hashing="import hashlib\nprint(hashlib.sha256(x).hexdigest()[:8], hashlib.md5(x.tobytes()).hexdigest()[:8], hashlib.sha1(np.ascontiguousarray(a.T)).hexdigest()[:8])",
    structs="import struct, array\nprint(struct.pack('<di', s, k[0]), array.array('d', x)[1], bytes(k.astype(np.uint8)), bytearray(k[:2].astype('u1')))",
    memory="m = memoryview(x); print(m.nbytes, m.format, m.shape, m[1], bytes(m[:2])[:4])",
    csv="import csv, io\nf = io.StringIO(); csv.writer(f).writerows([['m', s], k, *a[:, :2]]); print(f.getvalue())",
    csv_read="import csv, io\nrows = list(csv.reader(io.StringIO('1,2\\n3,4'))); print(np.array(rows, dtype=float), np.array([[float(v) for v in r] for r in rows]).sum())",
    random_choices="import random\nrandom.seed(1); print(random.choices('abc', weights=k), random.sample(list(k), 1)[0] in k, random.randint(0, k[0]), random.gauss(s, 0) == s)",
    time="import time, datetime\ntime.sleep(float(x[4] * 0)); print(datetime.timedelta(seconds=float(s)), datetime.date(2024, k[0], k[1]), datetime.datetime.fromtimestamp(k[0], datetime.timezone.utc).second)",
    heaps="import heapq, bisect\nh = list(x); heapq.heapify(h); print(heapq.heappop(h), bisect.bisect(x, 3.0), bisect.bisect([1, 5, 9], k[0]), *heapq.nlargest(2, x))",
    dataclass="from dataclasses import dataclass, asdict\n@dataclass\nclass P:\n    m: float\n    v: object\nprint(asdict(P(s, 1))['m'], P(s, 1) == P(s, 1), P(s, x).v.sum())",
    matching="match k[0]:\n    case 3: print('three')\n    case _: print('other')\nprint(isinstance(x, np.ndarray), callable(np.sin))",
    complex_numbers="import cmath\nz = np.array([1 + 2j, 3 - 1j]); print(z[0].real, z[0].imag, abs(z[1]), cmath.phase(z[0]), z[0].conjugate(), complex(z[1]), np.angle(z).round(3))",
    minmax_mixed="print(max(s, 3.0), min(s, k[0], 2), max(x.max(), host.max()), sum([s, s]), sum([x, x])[0], np.float64(s) + 1, np.int64(k[0]))",
    printing="print(x); print(a); print(k, x > 2); print(str(a[0]), repr(x[:2])); print(np.array2string(x, precision=1), np.array_repr(k))",
)

# What no device holds: strings, objects, dates, records, other byte orders.
OTHER_DTYPES = _group(
    strings="n = np.array(['b', 'a', 'b']); print(n, n == 'b', (n == 'b').sum(), n[0], n.dtype, len(n), n.tolist())",
    unique_strings="u, c = np.unique(['b', 'a', 'b'], return_counts=True); print(u, c, c / c.sum(), u[c.argmax()])",
    string_masks="n = np.array(['b', 'a', 'b']); print(k[n == 'b'], x[:3][n != 'b'].mean(), n[k > 1], n[k.argsort()])",
    where_strings="print(np.where(x > 2, 'x', 'y'), np.where(k == 2, 'two', np.array(['a', 'b', 'c'])))",
    select_strings="print(np.select([x < 0, x < 5], ['low', 'middle'], 'high'), np.array(['no', 'yes'])[(x > 2).astype(int)])",
    char="n = np.array(['b', 'aa']); print(np.char.upper(n), np.char.add(n, '!'), np.strings.str_len(n), np.char.replace(n, 'a', 'c'), np.array(['1', '2']).astype(float).sum())",
    ragged="r = np.array([[1], [2, 3]], dtype=object); print(r, r.shape, len(r[1]), [len(v) for v in r])",
    objects="o = np.array([1, 'two', None], dtype=object); print(o, o[1], o == None, np.empty(2, dtype=object)); p = np.array([10**30, 2]); print(p * 2, p.sum())",
    dates="d = np.array(['2024-01-30', '2024-02-02'], dtype='datetime64[D]'); print(d + 1, np.diff(d), (d[1] - d[0]) / np.timedelta64(1, 'h'), d.astype('datetime64[M]'), d.max(), d > np.datetime64('2024-02-01'))",
    date_ranges="d = np.arange('2024-01', '2024-03', dtype='datetime64[D]'); v = np.arange(len(d)) * 1.0; print(len(d), v[d >= np.datetime64('2024-02-01')].mean(), np.is_busday(d).sum(), d[v.argmax()], d[k])",
    durations="e = np.array([1, 2], dtype='timedelta64[s]'); print(e.sum(), e / np.timedelta64(1, 's') + x[:2], e * 2, np.mean(e), (k * np.timedelta64(1, 'h')).max())",
    records="r = np.array([('a', 1.5, 2), ('b', 2.5, 3)], dtype=[('n', 'U3'), ('v', 'f8'), ('c', 'i4')]); print(r['v'].mean(), r[0], r['n'][r['v'] > 2], r.dtype.names, np.sort(r, order='v')['c'], r['v'] * x[:2])",
    record_fields="r = np.zeros(3, dtype=[('p', 'f8', 2), ('m', 'f4')]); r['p'] = a[:, :2]; r['m'] = k; r[1] = ((7, 8), 9); print(r, r['p'].sum(axis=0), r['m'] @ r['p'])",
    genfromtxt="import io\nr = np.genfromtxt(io.StringIO('n,v,c\\na,1.5,2\\nb,2.5,3'), delimiter=',', names=True, dtype=None, encoding='utf-8'); print(r['n'], r['v'].sum(), r['c'] * 2, len(r))",
    loadtxt="import io\nprint(np.loadtxt(io.StringIO('a 1\\nb 2'), dtype=str), np.loadtxt(io.StringIO('1 2\\n3 4'), unpack=True), np.loadtxt(io.StringIO('a,1'), delimiter=',', dtype={'names': ('n', 'v'), 'formats': ('U1', 'f8')}))",
    byte_orders="b = np.array([1, 2], dtype='>f8'); print(b.dtype.byteorder, b.sum(), b + x[:2], b.astype(float).dtype, np.frombuffer(b'\\x00\\x01', dtype='>u2')[0])",
    bytes_and_void="b = np.array([b'ab', b'c']); print(b, b.tobytes(), np.frombuffer(b'abcd', dtype='S2'), np.zeros(2, 'V3').itemsize, np.array(b'x').item())",
    masked="m = np.ma.masked_array(x, mask=x > 5); print(m.mean(), m.sum(), m.filled(0)[-1], np.ma.masked_less(k, 2))",
    matrix="m = np.matrix([[1, 2], [3, 4]]); print(m * m, m.T, m.I.round(2))",
    recarray="r = np.rec.array([(1, 2.5), (2, 3.5)], names='i,v'); print(r.v.mean(), r[0].i, r.i + k[:2])",
    vectorised_strings="f = np.vectorize(lambda v: 'hi' if v > 2 else 'lo'); print(f(x), np.vectorize(len)(['a', 'bb']), np.frompyfunc(lambda p, q: f'{p}{q}', 2, 1)(k, 1))",
    sorting_strings="n = np.array(['pear', 'fig', 'apple']); print(np.sort(n), n.argsort(), x[:3][n.argsort()], np.isin(n, ['fig']), np.lexsort((k, n)), np.searchsorted(np.sort(n), 'fig'))",
    long_numbers="print(np.array([1, 2], dtype=np.longdouble).sum() / 4, np.longdouble(1) + x[0], np.finfo(np.longdouble).dtype.kind)",
    saving_others="import io\nf = io.BytesIO(); np.savez(f, n=np.array(['a', 'b']), x=x); f.seek(0); z = np.load(f); print(z['n'], z['x'].sum(), sorted(z.files))",
    structured_views="print(x[:2].view('u1')[:4], np.array([1.0, 2.0, 3.0, 4.0]).view([('p', 'f8'), ('q', 'f8')])['q'], k.view('V8').itemsize)",
)

# NumPy's own functions over arrays of a device, and into arrays of the host.
NUMPY = _group(
    functions="print(numpy.sum(x), numpy.sin(x).max().round(6), numpy.concatenate([x, host]).shape, numpy.median(x), numpy.where(x > 2, x, 0))",
    copyto="numpy.copyto(host, x); print(host); numpy.copyto(host, 0, where=x > 2); print(host); np.copyto(host, x[0]); print(host)",
    out="numpy.add(x, 1, out=host); print(host); np.multiply(x, 2, out=host); print(host); np.sum(a, axis=0, out=host[:4]); print(host)",
    writes="numpy.put(host, k, x[k]); np.put(host, [0], s); numpy.place(host, host > 5, x[:2]); np.putmask(host, x > 3, x); print(host)",
    broadcast_none="p, q = np.broadcast_arrays(np.ones(2), None); print(p.shape, q.shape, numpy.broadcast_arrays(x, None)[0].sum())",
    testing="numpy.testing.assert_allclose(x, x + 1e-12); numpy.testing.assert_array_equal(k, [3, 1, 2]); print(numpy.allclose(x, x), numpy.array_equal(k, k), numpy.isclose(s, s))",
    asarray_writable="b = numpy.array(x); b[0] = 7; c = numpy.asarray(x).copy(); c.sort(); print(b[:2], c[:2], x[0]); numpy.random.RandomState(0).shuffle(c); print(c.sum())",
    apply="print(np.apply_along_axis(lambda row: row.max() - row.min(), 1, a), np.vectorize(lambda v: v * 2 if v > 2 else 0)(x), np.fromfunction(lambda i, j: i * 2 + j, (2, 2)), np.piecewise(x, [x < 0, x >= 0], [0, lambda v: v * 2]))",
    random_host="g = numpy.random.default_rng(3); print(g.choice(x), g.permutation(x)[:2], g.normal(x, 0)[:2], g.integers(0, k[0]), g.random(k[0]).shape)",
    files="import io\nf = io.StringIO(); numpy.savetxt(f, a, fmt='%.1f'); np.savetxt(f, x[None, :3]); print(f.getvalue()); g = io.BytesIO(); numpy.save(g, x); g.seek(0); print(np.load(g).sum())",
    ufunc_methods="print(numpy.add.reduce(x), numpy.add.accumulate(k), numpy.subtract.outer(k, k), numpy.add.at(host, k, x[k]), host)",
    polynomials="c = np.polyfit(t, t**2 + 1, 2); print(c.round(6) + 0, np.polyval(c, s).round(6), np.poly1d([1, 2, s])(2), np.roots([1, -s, 6]).round(3), numpy.polynomial.Polynomial.fit(t, t * 2, 1)(0.5).round(6))",
    linalg="m = a[:, :3] + np.eye(3) * 9; print(numpy.linalg.solve(m, k).round(4), np.linalg.det(m).round(3), np.linalg.norm(x - host).round(4), np.linalg.inv(m)[0, 0].round(5))",
    interp="print(np.interp(s, host, x), np.interp([1.5, k[0]], host, x), np.digitize(x, [0, s]), np.searchsorted(x, [s, 0]), np.histogram(x, bins=[-5, 0, s, 100])[0])",
)

PLOTS = _group(
    "matplotlib",
    **{name: f"""
import matplotlib.pyplot as plt
figure, axes = plt.subplots()
{code}
figure.canvas.draw()
print(numpy.asarray(figure.canvas.buffer_rgba()).mean().round(1))
""" for name, code in {
        "plot": "axes.plot(t, np.sin(t), 'o-', label='sin'); axes.plot(x); axes.legend(); axes.axhline(s); axes.set_xlim(t[0], t[-1])",
        "bar": "axes.bar(k, x[:3], yerr=x[3:6]**2, bottom=1); axes.barh(range(3), k)",
        "hist": "n, edges, _ = axes.hist(x, bins=5); axes.hist(a.ravel(), bins=np.linspace(0, 12, 4), weights=a.ravel(), density=True); print(n, edges)",
        "scatter": "figure.colorbar(axes.scatter(x, x**2, c=x, s=host * 5, cmap='viridis'))",
        "imshow": "figure.colorbar(axes.imshow(a, extent=(0, s, 0, 1), vmin=a.min(), vmax=a.max(), aspect='auto'))",
        "contour": "X, Y = np.meshgrid(t, t); axes.contourf(X, Y, X * Y); axes.clabel(axes.contour(X, Y, X - Y, levels=[-0.5, t[25]]))",
        "fill_between": "axes.fill_between(t, t**2, t, where=t > 0.3, alpha=0.5); axes.fill(x, x**2)",
        "errorbar": "axes.errorbar(x, x**2, yerr=np.abs(x), xerr=0.2, fmt='o')",
        "boxplot": "axes.boxplot([x, x * 2]); axes.violinplot(a)",
        "pie": "axes.pie(k, labels=['a', 'b', 'c'], autopct='%.1f')",
        "step_and_stem": "axes.step(x, x**2); axes.stem(x, x); axes.stackplot(t, t, t**2); axes.hlines(x, 0, s); axes.vlines(k, 0, 1)",
        "quiver": "axes.quiver(a, a.T[:3, :3].sum() - a); axes.pcolormesh(a); axes.matshow(a > 4); axes.spy(a > 5)",
        "logarithms": "axes.loglog(t + 1, t + 2); axes.semilogy(x, np.exp(x)); axes.set_xticks(np.arange(1, 3)); axes.set_yticks([1, x.max()], ['a', 'b'])",
        "text": "axes.text(x[0], s, f'{s}'); axes.annotate('p', (x[1], x[2]), xytext=(s, s)); axes.add_patch(plt.Circle((x[1], x[2]), s)); axes.set_ylim(x.min(), s)",
        "histogram_2d": "axes.hist2d(x, x**2, bins=4); axes.hexbin(x, x, gridsize=5); axes.plot(*a[:2])",
        "surface": "axes = figure.add_subplot(projection='3d'); X, Y = np.meshgrid(t[::10], t[::10]); axes.plot_surface(X, Y, X * Y); axes.scatter(x, x, x)",
    }.items()},
)

FRAMES = _group(
    "pandas",
    frame_of_means="import pandas as pd\nprint(pd.DataFrame([{'m': r.mean()} for r in a]).dtypes.tolist())",
    frame_label="import pandas as pd\nprint(pd.Series([1.0, 2.0, 3.0], index=[3, 0, 1])[k[0]])",
    factorize="import pandas as pd\nprint(pd.factorize(k)[0], pd.unique(k))",
    frame="import pandas as pd\nd = pd.DataFrame({'x': x, 'i': np.arange(10), 'c': 1}); print(d.describe().round(3), d.dtypes.tolist(), d.x.sum() == s)",
    frame_of_matrix="import pandas as pd\nd = pd.DataFrame(a, columns=list('abcd'), index=k); print(d, d.loc[int(k[0]), 'a'], d.to_numpy().sum())",
    frame_of_numbers="import pandas as pd\nd = pd.DataFrame([{'m': float(r.mean()), 's': r.sum().item()} for r in a]); print(d, d.dtypes.tolist())",
    series="import pandas as pd\nv = pd.Series(x, index=list('abcdefghij')); print(v['c'], v[v > s / 5].tolist(), (v + x).sum(), v.rolling(3).mean().iloc[-1], v.iloc[k].tolist())",
    group_by="import pandas as pd\nd = pd.DataFrame({'g': np.arange(10) % 3, 'x': x}); print(d.groupby('g').x.mean().tolist(), d.groupby('g').agg(['sum', 'max']).to_numpy(), d.groupby('g').x.agg(np.mean).dtype)",
    merging="import pandas as pd\np = pd.DataFrame({'k': k, 'v': x[:3]}); q = pd.DataFrame({'k': np.array([1, 2]), 'w': [s, 1.0]}); print(p.merge(q, on='k', how='left'), pd.concat([p, p]).v.sum())",
    frame_mask="import pandas as pd\nd = pd.DataFrame({'x': host}); print(d[x > 2].shape, d.loc[x > 2, 'x'].sum(), d.iloc[x > 2].x.tolist(), d.index[x > 2].tolist())",
    assigning="import pandas as pd\nd = pd.DataFrame({'a': [1.0] * 10}); d['b'] = x; d['c'] = np.where(x > 2, 1, 0); d.loc[0, 'b'] = s; d.loc[k, 'a'] = x[:3]; d.iloc[k[0], 1] = x[0]; print(d.sum().tolist(), d.iloc[k].shape)",
    back="import pandas as pd\nd = pd.DataFrame({'a': [1, 2, 3], 'b': [1.5, 2.5, 3.5]}); print(np.asarray(d), np.array(d['b']) * 2, np.sqrt(d['a']).tolist(), np.mean(d['b']), np.array(d.a.values) + k, d.b @ x[:3])",
    time_series="import pandas as pd\nv = pd.Series(x, index=pd.date_range('2024-01-01', periods=10)); print(v.resample('W').sum().tolist(), v['2024-01-03'], np.array(v.index)[0])",
    cutting="import pandas as pd\nprint(pd.cut(x, bins=[-10, 0, s]).value_counts().tolist(), pd.qcut(x, 2).codes, pd.isna(x).any(), pd.get_dummies(k).shape)",
    text_files="import pandas as pd, io\nf = io.StringIO(); pd.DataFrame({'x': x[:3], 'n': k}).to_csv(f, index=False); print(f.getvalue(), np.array(pd.read_csv(io.StringIO(f.getvalue()))).sum())",
)

STORES = {
    **_group(
        "PIL",
        image="from PIL import Image\np = (np.arange(48).reshape(4, 4, 3) * 5).astype(np.uint8); i = Image.fromarray(p); print(i.size, i.getpixel((1, 2)), np.asarray(i).sum(), np.array(i.convert('L')).mean(), np.array(i.resize((2, 2))).shape)",
        image_processing="from PIL import Image\np = np.array(Image.new('RGB', (4, 4), (10, 20, 30))); p[1:3, :, 0] = 200; g = p.mean(axis=2); print(g, Image.fromarray((g > 50).astype('uint8') * 255).getbbox(), Image.fromarray(g.astype(np.float32)).mode)",
    ),
    **_group(
        "h5py",
        hdf5="import h5py, io\nwith h5py.File(io.BytesIO(), 'w') as f:\n    d = f.create_dataset('x', data=x); f['a'] = a; d.attrs['s'] = s; d[0] = s; d[2:5] = x[:3]; print(d[:], f['a'][1], d.attrs['s'], np.array(f['a']).sum(), f['a'][k[1]:, k[2]])",
        hdf5_read_direct="import h5py, io\nwith h5py.File(io.BytesIO(), 'w') as f:\n    d = f.create_dataset('x', shape=(3, 4), dtype='f8', chunks=True); d[...] = a; b = numpy.zeros((3, 4)); d.read_direct(b, np.s_[:2], np.s_[1:]); print(b * a, d.shape)",
        hdf5_mask="import h5py, io\nwith h5py.File(io.BytesIO(), 'w') as f: d = f.create_dataset('x', data=host); d[x > 5] = 1; print(d[x > 2], d[:])",
        hdf5_direct="import h5py, io\nwith h5py.File(io.BytesIO(), 'w') as f: b = np.zeros(10); d = f.create_dataset('x', data=host); d.read_direct(b); d.write_direct(b * 2); print(b, d[:])",
    ),
    **_group(
        "zarr",
        zarr="import zarr\nz = zarr.array(a, chunks=(2, 2)); print(z[:], z[1, 2:]); w = zarr.zeros((3, 4), chunks=(2, 2)); w[:] = a * 2; w[0] = x[:4]; w[1, 1] = s; print(w[:], np.asarray(w[:]).sum())",
    ),
    **_group(
        files="import tempfile, os\nfrom pathlib import Path\np = Path(tempfile.mkdtemp()) / 'x.npy'; np.save(p, x); b = np.load(p); m = np.load(p, mmap_mode='r'); print(b.sum(), m[:2]); x.tofile(p); print(np.fromfile(p)[:2], p.stat().st_size); p.write_bytes(x); print(len(p.read_bytes())); numpy.savez(p.with_suffix('.npz'), x=x, s=s); print(np.load(p.with_suffix('.npz'))['s'])",
        sqlite="import sqlite3\nc = sqlite3.connect(':memory:'); c.execute('create table t (i int, v real)'); c.executemany('insert into t values (?, ?)', [(int(i), float(v)) for i, v in zip(k, x)]); print(np.array(c.execute('select * from t').fetchall()))",
    ),
}

SCIPY = _group(
    linalg="from scipy import linalg\nm = a[:, :3] + np.eye(3) * 9; print(linalg.solve(m, k).round(4), linalg.det(m).round(3), linalg.eigvals(m).real.round(3), (linalg.expm(m * 0.01) @ k).round(4), linalg.cho_factor(m @ m.T)[0].shape)",
    special="from scipy import special\nv = special.erf(x); print(v.round(4), (v * x).sum().round(4), special.gamma(k), special.comb(k[0], 2), special.expit(s).round(3), special.softmax(x).max().round(4), special.logsumexp(x).round(4))",
    optimize="from scipy import optimize\nprint(optimize.minimize(lambda p: ((p - k) ** 2).sum(), np.zeros(3)).x.round(3), round(optimize.brentq(lambda v: v**2 - s, 0, 10), 4), optimize.curve_fit(lambda v, p, q: p * v + q, t, 2 * t + 1)[0].round(4))",
    least_squares="from scipy import optimize\nr = optimize.least_squares(lambda p: np.exp(-p[0] * t) * p[1] - np.exp(-2 * t), [1.0, 0.5]); print(r.x.round(4)); print(optimize.fsolve(lambda p: [p[0] - s, p[1] * p[0] - 1], np.array([1.0, 1.0])).round(4), optimize.linear_sum_assignment(a)[1])",
    interpolate="from scipy import interpolate\nprint(interpolate.CubicSpline(host, x)(2.5), interpolate.interp1d(host, x)(k), interpolate.make_interp_spline(t, np.sin(t))(0.5).round(4), interpolate.griddata(np.array([[0, 0], [0, 2], [2, 0]]), k, (0.5, 0.5)).round(3), interpolate.UnivariateSpline(t, t**2)(0.5).round(4))",
    integrate="from scipy import integrate\nprint(integrate.quad(lambda v: np.exp(-v) * s, 0, 1)[0].__round__(5), integrate.solve_ivp(lambda t, y: np.array([y[1], -y[0]]), (0, 1), [1.0, 0.0]).y[0, -1].round(4), integrate.odeint(lambda y, t: -y, s, t)[-1].round(4), integrate.simpson(t**2, x=t).round(5))",
    signal="from scipy import signal\nb, c = signal.butter(3, 0.2); print(signal.filtfilt(b, c, np.sin(t * 9))[::10].round(4), signal.convolve(x, k).round(2)[:3], signal.find_peaks(np.sin(t * 20))[0], signal.welch(np.sin(t * 30), nperseg=16)[1].sum().round(4), signal.medfilt(x, 3)[:2], signal.resample(x, 5).round(3))",
    ndimage="from scipy import ndimage\nprint(ndimage.gaussian_filter(a, 1).round(3)[0], ndimage.label(a > 5)[1], ndimage.zoom(a, 2).shape, ndimage.sobel(a)[1], ndimage.center_of_mass(a), ndimage.map_coordinates(a, [[0.5], [1.5]], order=1), ndimage.binary_dilation(a > 9).sum(), ndimage.maximum_filter(a, 3)[0])",
    stats="from scipy import stats\nprint(stats.norm.cdf(x).round(3)[:3], stats.ttest_ind(x, host).pvalue.round(4), stats.linregress(t, t * 2 + 1).slope.round(4), stats.zscore(x).round(3)[:2], stats.pearsonr(x, host).statistic.round(4), stats.norm.fit(x)[0].round(3), stats.gaussian_kde(x)(k).round(4), stats.describe(x).variance.round(3))",
    sparse="from scipy import sparse\nfrom scipy.sparse import linalg as sl\nm = sparse.csr_matrix(a[:, :3] + np.eye(3) * 9); print(m.nnz, m @ k, (m @ a[:, :2]).sum(), sl.spsolve(m.tocsc(), k).round(4), sparse.coo_matrix((x[:3], (k - 1, k - 1)), shape=(3, 3)).toarray(), sparse.diags(x[:3]).toarray()[0])",
    spatial="from scipy import spatial\np = np.stack([np.cos(x), np.sin(x * 2)], axis=1); print(spatial.distance.pdist(p).sum().round(4), spatial.KDTree(p).query(p[:2])[1], spatial.distance.cdist(p, p[:2]).max().round(4), round(spatial.ConvexHull(p).area, 4), spatial.KDTree(p).query_ball_point([0, 0], 0.8))",
    cluster="from scipy.cluster import hierarchy, vq\np = np.stack([np.cos(x), np.sin(x * 2)], axis=1); print(hierarchy.fcluster(hierarchy.linkage(p), 2, 'maxclust'), vq.vq(p, p[:2])[0])",
    fft="from scipy import fft\nprint(np.abs(fft.fft(x)).round(3)[:3], fft.dct(x).round(3)[:2], fft.rfftfreq(10)[1], fft.irfft(fft.rfft(x)).round(3)[:2])",
)

LEARN = _group(
    "sklearn",
    kmeans="from sklearn.cluster import KMeans, DBSCAN\np = np.stack([np.cos(x), np.sin(x * 2)], axis=1); m = KMeans(2, n_init=1, random_state=0).fit(p); print(round(m.inertia_, 4), m.predict(p[:2]).shape, DBSCAN(eps=0.5).fit(p).labels_)",
    regression="from sklearn.linear_model import LinearRegression, Ridge, LogisticRegression\nm = LinearRegression().fit(t[:, None], t * 2 + 1); print(m.coef_.round(4), m.predict([[s]]).round(4), round(m.score(t[:, None], t * 2), 4), Ridge().fit(a, k).coef_.round(4), LogisticRegression().fit(t[:, None], t > 0.5).predict(t[::10, None]))",
    forest="from sklearn.ensemble import RandomForestClassifier\nfrom sklearn.tree import DecisionTreeRegressor\nfrom sklearn.neighbors import KNeighborsClassifier\nfrom sklearn.svm import SVC\nf = np.stack([x, x**2 / 7], axis=1); y = x > 2\nprint(RandomForestClassifier(5, random_state=0).fit(f, y).predict(f), DecisionTreeRegressor().fit(f, x).predict(f[:2]), KNeighborsClassifier(3).fit(f, y).score(f, y), SVC().fit(f, y).predict(f))",
    preprocessing="from sklearn.preprocessing import StandardScaler, MinMaxScaler, OneHotEncoder\nfrom sklearn.model_selection import train_test_split, cross_val_score\nfrom sklearn.linear_model import Ridge\nprint(StandardScaler().fit_transform(a).round(3)[0], MinMaxScaler().fit_transform(a)[1], OneHotEncoder().fit_transform(k[:, None]).toarray(), [v.shape for v in train_test_split(a, k, random_state=0)], cross_val_score(Ridge(), t[:, None], t * 2, cv=3).round(4))",
    decomposition="from sklearn.decomposition import PCA\nfrom sklearn.metrics import accuracy_score, confusion_matrix, mean_squared_error\np = PCA(2).fit(np.stack([np.cos(x), np.sin(x), x], axis=1)); print(p.explained_variance_ratio_.round(4), round(accuracy_score(k, [3, 1, 1]), 4), confusion_matrix(k > 1, k > 2), round(mean_squared_error(x, host), 3), np.abs(p.components_).sum().round(4))",
)

# Class tests that only a subclass of NumPy's own types would pass; the guide has the remedies.
LIMITS = {
    **_group(
        float_class="print(isinstance(s, float), isinstance(x[0], np.floating), isinstance(k[0], np.integer))",
        timedelta="import datetime\nprint(datetime.timedelta(seconds=s))",
        fraction="from fractions import Fraction\nprint(Fraction(x[0]) + 1)",
        sleep="import time\nprint(time.sleep(x[0] * 0))",
        decimal="from decimal import Decimal\nprint(Decimal(s))",
        json="import json\nprint(json.dumps(s))",
    ),
}

GROUPS = {
    "lists": LISTS, "numbers": NUMBERS, "other dtypes": OTHER_DTYPES, "numpy": NUMPY, "matplotlib": PLOTS,
    "pandas": FRAMES, "stores": STORES, "scipy": SCIPY, "sklearn": LEARN, "limits": LIMITS,
}
SNIPPETS = {f"{group}: {name}": one for group, members in GROUPS.items() for name, one in members.items()}
