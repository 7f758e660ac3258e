"""Kernels as operators' projects have them: in op_kernel/, with the tiling structures that op_host/ declares."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from asnumpy.ascendc import BuildError, build
from cannsim import kernels
from cannsim.kernels import Binary, array_of, memory_of, wait

pytestmark = pytest.mark.skipif(
    not kernels.compiles(), reason="there is no C++ compiler, or CANN 8 cannot load the file"
)

HOST = """
#include "register/tilingdata_base.h"
#include "no/such/header/of_the_host.h"
namespace optiling {
// BEGIN_TILING_DATA_DEF(NotThere)
BEGIN_TILING_DATA_DEF(ScaleRowsPart)
  TILING_DATA_FIELD_DEF(float, factor); /* of all rows */
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleRowsPartOp, ScaleRowsPart)

BEGIN_TILING_DATA_DEF(ScaleRowsTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, rows);
  TILING_DATA_FIELD_DEF_ARR(float, 3, steps);
  TILING_DATA_FIELD_DEF_STRUCT(ScaleRowsPart, part);
  TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, softmax);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleRows, ScaleRowsTilingData)
class Host : public OfTheHost {};
}
"""
# No namespace is used: Muls<float> is found by its arguments, as the device's compiler finds it.
KERNEL = """
#include "kernel_operator.h"
#include "kernel_tensor_impl.h"
#include "interface/kernel_type.h"

class ScaleRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR sums, ScaleRowsTilingData *data, AscendC::TPipe *pipe) {
        data_ = data;
        data->part.factor += data->steps[2];  // the kernel's own copy
        x_.SetGlobalBuffer((__gm__ float *)x);
        sums_.SetGlobalBuffer((__gm__ float *)sums);
        pipe->InitBuffer(row_, 64 * sizeof(float));
        pipe->InitBuffer(sum_, AscendC::GetDataBlockSizeInBytes());
        pipe->InitBuffer(work_, AscendC::GetVecLen());
    }
    __aicore__ inline void Process() {
        for (uint32_t i = 0; i < data_->rows; ++i) Row(i);
    }

private:
    __aicore__ inline void Row(uint32_t i) {
        auto row = row_.Get<float>();
        auto sum = sum_.Get<float>();
        AscendC::DataCopy(row, x_[i * 64], 64);
        AscendC::PipeBarrier<PIPE_ALL>();
        Muls<float>(row, row, data_->part.factor, 64);
        ReduceSum<float>(sum, row, work_.Get<float>(), 64);
        AscendC::PipeBarrier<PIPE_ALL>();
        sums_.SetValue(i, sum.GetValue(0));
        AscendC::PipeBarrier<PIPE_ALL>();
    }
    ScaleRowsTilingData *data_;
    AscendC::GlobalTensor<float> x_, sums_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> row_, sum_, work_;
};

extern "C" __global__ __aicore__ void scale_rows(GM_ADDR x, GM_ADDR sums, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    AscendC::TPipe pipe;
    ScaleRows rows;
    rows.Init(x, sums, &data, &pipe);
    rows.Process();
}
"""


def project(folder: Path, host: str = HOST, kernel: str = KERNEL) -> Path:
    for name, text in (("op_host/scale_rows_tiling.h", host), ("op_kernel/scale_rows.cpp", kernel)):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder / "op_kernel" / "scale_rows.cpp"


def test_a_kernel_finds_the_structure_of_its_host(tmp_path):
    build(project(tmp_path), tmp_path / "libscale.so")
    x = np.arange(3 * 64, dtype=np.float32).reshape(3, 64)
    tiling = np.zeros(22, np.uint32)
    tiling[0] = 3
    tiling[1:5].view(np.float32)[:] = [0, 0, 0.5, 1.5]
    places = [memory_of(each) for each in (x, np.zeros(8, np.float32), np.zeros(32, np.uint8), tiling)]
    binary = Binary(str(tmp_path / "libscale.so"))
    binary.launch("scale_rows", 1, *places)
    wait()
    assert (array_of(places[1], np.float32)[:3] == 2 * x.sum(axis=1)).all()
    binary.unload()
    for place in places:
        place.free()


def test_a_structure_of_another_operator_is_not_taken(tmp_path):
    with pytest.raises(BuildError, match="ScaleRowsTilingData"):
        build(project(tmp_path, HOST.replace("CLASS(ScaleRows,", "CLASS(ScaleColumns,")), tmp_path / "libscale.so")


def test_a_structure_of_the_kernels_own_goes_first(tmp_path):
    own = "struct Own { float factor; };\n" + KERNEL.replace(
        "GET_TILING_DATA(data, tiling);",
        "REGISTER_TILING_DEFAULT(Own);\n    GET_TILING_DATA(own, tiling);\n    ScaleRowsTilingData data{};\n"
        "    data.rows = 1;\n    data.part.factor = own.factor;",
    )
    build(project(tmp_path, kernel=own), tmp_path / "libscale.so")
    places = [memory_of(np.full(8 * 64, 0.25, np.float32)) for _ in range(4)]
    binary = Binary(str(tmp_path / "libscale.so"))
    binary.launch("scale_rows", 1, *places)
    wait()
    assert array_of(places[1], np.float32)[0] == 0.25 * 0.25 * 64
    binary.unload()
    for place in places:
        place.free()
