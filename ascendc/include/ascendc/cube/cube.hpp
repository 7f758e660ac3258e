// The cube core's instructions.
#pragma once

#include "ascendc/cube/fixpipe.hpp"
#include "ascendc/cube/fractals.hpp"
#include "ascendc/cube/image.hpp"
#include "ascendc/cube/load_data.hpp"
#include "ascendc/cube/mmad.hpp"
