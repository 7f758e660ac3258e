"""Equalise a photograph and find its edges; needs the packages of the extra 'demo'."""

import argparse
import importlib

import numpy
from matplotlib import image as files

from asnumpy.demo import image
from asnumpy.demo.photograph import photographs

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("picture", nargs="?", help="a picture file (default: a photograph that matplotlib ships)")
parser.add_argument("--numpy", action="store_true", help="run with NumPy instead of asnumpy")
parser.add_argument("--output", default="edges.png")
options = parser.parse_args()
np = importlib.import_module("numpy" if options.numpy else "asnumpy")

if options.picture:
    pixels = files.imread(options.picture)[..., :3]
    if pixels.dtype == numpy.uint8:
        pixels = pixels / numpy.float32(255)
    pixels = pixels[None]
else:
    pixels = photographs(1, 512)
bright, edges = image.enhance(np, np.asarray(pixels.astype(numpy.float32)))
bright, edges = numpy.asarray(bright[0]), numpy.asarray(edges[0])
files.imsave(options.output, numpy.where(edges[..., None], 1, bright * numpy.float32(0.5)))
print(f"{edges.mean():.1%} of the pixels are edges; saved {options.output}")
