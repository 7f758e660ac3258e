"""Records with names and dates, read from a file: a season of four weather stations, day by day."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.dates import MonthLocator

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--records", type=Path, default=Path(__file__).parent / "data" / "stations.csv")
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)

columns = [("date", "datetime64[D]"), ("station", "U12"), ("temperature", "f8"), ("rain", "f8"), ("observer", "U8")]
records = np.genfromtxt(options.records, delimiter=",", dtype=columns, skip_header=1, encoding="utf-8")
date, station, rain = records["date"], records["station"], records["rain"]
print(f"{records.size} records from {date.min()} to {date.max()}, {(date.max() - date.min()).astype(int) + 1} days")

known = ~np.isnan(records["temperature"])
names, place = np.unique(station, return_inverse=True)
count = np.bincount(place[known])
mean = np.bincount(place[known], weights=records["temperature"][known]) / count
print(f"{np.count_nonzero(~known)} temperatures are missing, the first on {date[~known][0]} at {station[~known][0]}")
for name, days, value in zip(names, count, mean):
    here = records[(station == name) & known]
    coldest = here[np.argmin(here["temperature"])]
    print(f"{name:>8}: {days} days, {value:6.2f} on average, coldest {coldest['temperature']:5.1f} "
          f"on {coldest['date']}, {rain[station == name].sum():6.1f} mm of rain")

month = date.astype("datetime64[M]")
table = np.array([[rain[(month == m) & (station == name)].sum() for name in names] for m in np.unique(month)])
print("month    " + " ".join(f"{name:>8}" for name in names))
for m, row in zip(np.unique(month), table):
    print(m, " ", " ".join(f"{value:8.1f}" for value in row))
wettest = np.unravel_index(table.argmax(), table.shape)
print(f"wettest: {names[wettest[1]]} in {np.unique(month)[wettest[0]]}, {table[wettest]:.1f} mm")

kind = np.where(rain > 10, "storm", np.where(rain > 0, "wet", "dry"))
kinds, how_often = np.unique(kind, return_counts=True)
print(", ".join(f"{k}: {n}" for k, n in sorted(zip(kinds, how_often), key=lambda pair: -pair[1])))
storms = np.sort(np.unique(date[kind == "storm"]))
gaps = np.diff(storms)
week = storms[0] + np.timedelta64(7, "D")
print(f"{len(storms)} days with storms, at most {gaps.max()} apart; a week after the first: {week}")
weekend = ~np.is_busday(date)
print(f"rain on weekends {rain[weekend].mean():.2f} mm a day, else {rain[~weekend].mean():.2f} mm")
order = np.lexsort((date, station))
longest = dict.fromkeys(names, 0)
for name in names:
    run = 0
    for wet in rain[order][station[order] == name] > 0:
        run = run + 1 if wet else 0
        longest[name] = max(longest[name], run)
print("longest runs of wet days:", ", ".join(f"{name} {days}" for name, days in longest.items()))
seen = set(records["observer"])
print("observers:", *sorted(seen), "-", np.char.upper(names[0]), np.char.add(names, "!")[-1])

figure, (top, bottom) = plt.subplots(2, 1, figsize=(9, 7), layout="constrained")
for name in names:
    here = station == name
    top.plot(date[here], records["temperature"][here], label=name, linewidth=1)
top.legend()
top.xaxis.set_major_locator(MonthLocator())
top.set(ylabel="temperature")
for i, name in enumerate(names):
    bottom.bar(np.arange(len(table)) + 0.2 * i, table[:, i], width=0.2, label=name)
bottom.set_xticks(np.arange(len(table)) + 0.3, [str(m) for m in np.unique(month)])
bottom.set(ylabel="mm of rain")
figure.savefig(options.output / "stations.png", dpi=80)
np.savez(options.output / "stations.npz", mean=mean, table=table, place=place, names=names, storms=storms)
