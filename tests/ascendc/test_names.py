"""The names that public kernels use most: each exists, where kernels look for it.

What is not here on purpose: communication between devices (`Hccl`, `GetHcclContext`), and the macros that a device's
compiler defines for an operator's build (`DTYPE_X`) or for its own CPU mode (`__CCE_KT_TEST__`, `ASCENDC_CPU_DEBUG`).
"""

from __future__ import annotations

import subprocess

import pytest
from host_compiler import compiler, needs_compiler

from .harness import INCLUDE

pytestmark = needs_compiler

IN_NAMESPACE = """
    LocalTensor GlobalTensor TPipe TQue TQueBind TBuf TBufPool TSCM LocalMemAllocator ListTensorDesc TensorDesc
    ShapeInfo GetBlockIdx GetBlockNum GetSubBlockIdx GetSubBlockNum GetTaskRation GetSystemCycle InitSocState
    GetUserWorkspace GetSysWorkSpacePtr SetSysWorkspace IsSameType TEventID int4b_t QuePosition TPosition
    HardEvent RoundMode CMPMODE SELMODE ReduceOrder MaskMode CacheMode CacheRwMode CacheLine DcciDst MemDsbT
    BlockMode DeqScale CO2Layout FmatrixMode DataFormat TransposeType Hardware AIC AIV ONE_BLK_SIZE
    ONE_REPEAT_BYTE_SIZE MAX_REPEAT_TIMES BLOCK_CUBE DEFAULT_BLK_NUM DEFAULT_BLK_STRIDE DEFAULT_REPEAT_STRIDE
    TOTAL_UB_SIZE TMP_UB_OFFSET TOTAL_L1_SIZE NCHW_CONV_ADDR_LIST_SIZE MASK_PLACEHOLDER MASK_PLACEHOLDER_LIST
    BinaryRepeatParams UnaryRepeatParams CopyRepeatParams BrcbRepeatParams GatherRepeatParams GatherMaskParams
    DataCopyParams DataCopyExtParams DataCopyPadParams DataCopyPadExtParams DataCopyEnhancedParams
    DataCopyCO12DstParams Nd2NzParams Nz2NdParamsFull SliceInfo LoadData2DParams LoadData2dTransposeParams
    LoadData3DParamsV2 LoadData3DParamsV2Pro LoadDataRepeatParam IsResetLoad3dConfig MmadParams
    InitConstValueParams FixpipeParamsV220 FixpipeParams QuantParams Nz2NdParams FixpipeConfig CFG_NZ
    CFG_ROW_MAJOR MrgSort4Info MrgSortSrcList TransDataTo5HDParams TransposeParamsExt VdeqInfo TQueConfig
    DataCopy DataCopyPad Copy SetAtomicAdd SetAtomicMax SetAtomicMin SetAtomicNone SetAtomicType SetPadValue
    DataCacheCleanAndInvalid ICachePreLoad DataCachePreload Fill SetFlag WaitFlag PipeBarrier SyncAll
    CrossCoreSetFlag CrossCoreWaitFlag IBSet IBWait InitDetermineComputeWorkspace WaitPreBlock NotifyNextBlock
    SetSyncBaseAddr TQueSync Add Sub Mul Div Max Min Adds Muls Maxs Mins Abs Relu Exp Ln Sqrt Rsqrt Reciprocal And Or
    Not
    ShiftLeft ShiftRight Axpy MulAddDst FusedMulAdd FusedMulAddRelu AddRelu SubRelu AddDeqRelu AddReluCast
    SubReluCast MulCast LeakyRelu Duplicate Cast CastDeq SetDeqScale CreateVecIndex ArithProgression Arange
    Compare CompareScalar Compares GetCmpMask SetCmpMask Select SetVectorMask SetMaskCount SetMaskNorm ResetMask
    AscendCUtils SetSaturationFlag SetCtrlSpr BlockReduceSum BlockReduceMax BlockReduceMin WholeReduceSum
    WholeReduceMax WholeReduceMin PairReduceSum RepeatReduceSum ReduceSum ReduceMax ReduceMin
    GetReduceMaxMinCount GetAccVal Brcb Gather Gatherb GatherMask Transpose TransDataTo5HD Sort32 MrgSort
    GetMrgSortResult Concat Sort Extract GetSortLen GetSortOffset LoadData LoadDataWithTranspose
    LoadDataWithSparse SetFmatrix Load3DSetFMatrixCal SetLoadDataPaddingValue SetLoadDataBoundary
    SetLoadDataRepeat InitConstValue Mmad SetHF32Mode SetHF32TransMode SetMMLayoutTransform Fixpipe
    SetFixPipeConfig SetFixpipeNz2ndFlag SetFixpipePreQuantFlag ToFloat ScalarCast ScalarGetCountOfValue
    ScalarCountLeadingZero CountBitsCntSameAsSignBit ScalarGetSFFValue AlignUp Ceil DivCeil Trap PRINTF
    DumpTensor SoftMax SimpleSoftMax SoftmaxFlash SoftmaxFlashV2 SoftmaxGrad SoftmaxGradFront SoftMaxShapeInfo
    SoftMaxTiling LayerNorm LayerNormGrad LayerNormGradBeta LayerNormTiling RmsNorm RmsNormTiling WelfordUpdate
    WelfordFinalize Sum SumParams Mean MeanParams BroadCast Broadcast CumSum CumSumInfo TopK TopkTiling TopKInfo
    TopKMode Pad UnPad PadTiling PadParams DropOut DropOutShapeInfo AscendQuant AscendDequant AscendAntiQuant
    SelectWithBytesMask Log
    Log2 Log10 Sin Cos Tan Tanh Sinh Cosh Asin Acos Atan Asinh Acosh Atanh Erf Erfc Floor Round Rint Trunc Frac
    Sign Lgamma Digamma Power Fmod Xor Hypot ClampMax ClampMin Gelu FasterGelu FasterGeluV2 Silu Swish SwiGLU
    GeGLU ReGlu Sigmoid TCubeTiling GetTPipePtr
""".split()
OUTSIDE = """
    GM_ADDR half bfloat16_t event_t pipe_t QuantMode_t GetTPipePtr PIPE_S PIPE_V PIPE_M PIPE_MTE1 PIPE_MTE2 PIPE_MTE3
    PIPE_ALL PIPE_FIX EVENT_ID0 EVENT_ID1 EVENT_ID2 EVENT_ID3 EVENT_ID4 EVENT_ID5 EVENT_ID6 EVENT_ID7 NoQuant
    F322F16 F322BF16 DEQF16 VDEQF16 QF322B8_PRE VQF322B8_PRE REQ8 VREQ8 set_flag wait_flag pipe_barrier
    get_block_idx get_block_num get_subblockid block_idx block_num vcadd get_acc_val set_vector_mask
    set_mask_norm set_mask_count copy_gm_to_ubuf copy_ubuf_to_gm copy_ubuf_to_ubuf copy_gm_to_ubuf_align_b8
    copy_gm_to_ubuf_align_b16 copy_gm_to_ubuf_align_b32 copy_ubuf_to_gm_align_b8 copy_ubuf_to_gm_align_b16
    copy_ubuf_to_gm_align_b32 vector_dup ffts_cross_core_sync wait_flag_dev set_ffts_base_addr dcci
""".split()
VALUES = {
    "TPosition": "GM A1 A2 B1 B2 C1 C2 CO1 CO2 VECIN VECOUT VECCALC LCM SPM SHM TSCM C2PIPE2GM C2PIPE2LOCAL MAX",
    "HardEvent": """MTE2_MTE1 MTE1_MTE2 MTE1_M M_MTE1 MTE2_V V_MTE2 MTE3_V V_MTE3 M_V V_M V_V MTE3_MTE1 MTE1_MTE3 MTE1_V
        MTE2_M M_MTE2 V_MTE1 M_FIX FIX_M MTE3_MTE2 MTE2_MTE3 S_V V_S S_MTE2 MTE2_S S_MTE3 MTE3_S MTE2_FIX FIX_MTE2 FIX_S
        M_S FIX_MTE3 MTE1_FIX FIX_MTE1 FIX_FIX""",
    "Hardware": "GM UB L1 L0A L0B L0C BIAS FIXBUF",
    "RoundMode": "CAST_NONE CAST_RINT CAST_FLOOR CAST_CEIL CAST_ROUND CAST_TRUNC CAST_ODD",
    "CMPMODE": "LT GT EQ LE GE NE",
    "SELMODE": "VSEL_CMPMASK_SPR VSEL_TENSOR_SCALAR_MODE VSEL_TENSOR_TENSOR_MODE",
    "ReduceOrder": "ORDER_VALUE_INDEX ORDER_INDEX_VALUE ORDER_ONLY_VALUE ORDER_ONLY_INDEX",
    "MaskMode": "NORMAL COUNTER",
    "CacheMode": "CACHE_MODE_DISABLE CACHE_MODE_NORMAL CACHE_MODE_LAST CACHE_MODE_PERSISTENT",
    "CacheRwMode": "READ WRITE RW",
    "CacheLine": "SINGLE_CACHE_LINE ENTIRE_DATA_CACHE",
    "DcciDst": "CACHELINE_ALL CACHELINE_UB CACHELINE_OUT CACHELINE_ATOMIC",
    "MemDsbT": "ALL DDR UB SEQ",
    "BlockMode": """BLOCK_MODE_NORMAL BLOCK_MODE_MATRIX BLOCK_MODE_VECTOR BLOCK_MODE_SMALL_CHANNEL
        BLOCK_MODE_DEPTHWISE""",
    "DeqScale": "DEQ_NONE DEQ VDEQ DEQ8 VDEQ8 DEQ16 VDEQ16",
    "CO2Layout": "NZ ROW_MAJOR COLUMN_MAJOR",
    "FmatrixMode": "FMATRIX_LEFT FMATRIX_RIGHT",
    "DataFormat": "ND NZ",
}
MEMBERS = {
    "LocalTensor<float>": """GetValue SetValue GetSize GetLength SetSize GetPhyAddr GetPosition ReinterpretCast
        SetAddrWithOffset SetBufferLen SetShapeInfo GetShapeInfo SetUserTag GetUserTag""",
    "GlobalTensor<float>": """SetGlobalBuffer GetValue SetValue GetPhyAddr GetSize SetL2CacheHint ReinterpretCast
        SetShapeInfo GetShapeInfo""",
    "TPipe": """Init Destroy Reset InitBuffer InitBufPool FetchEventID AllocEventID ReleaseEventID GetBaseAddr
        GetAbsAddr GetQueueEndAddress""",
    "TQue<TPosition::VECIN, 1>": """AllocTensor EnQue DeQue FreeTensor HasIdleBuffer VacantInQue HasTensorInQue
        GetTensorCountInQue FreeAllEvent""",
    "TBuf<TPosition::VECCALC>": "Get GetWithOffset",
    "TBufPool<TPosition::VECCALC>": "InitBuffer InitBufPool Reset",
    "AscendCUtils": "SetMask ResetMask SetOverflow",
    "LocalMemAllocator<Hardware::UB>": "Alloc GetCurAddr",
    "ListTensorDesc": "GetDesc GetDataPtr GetSize",
    "Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>,"
    "MatmulType<TPosition::GM, CubeFormat::ND, float>>": """Init SetTensorA SetTensorB SetBias SetTail SetOrgShape
        SetSingleShape Iterate IterateAll GetTensorC SetSubBlockIdx SetQuantVector SetQuantScalar SetHF32 SetWorkspace
        SetLocalWorkspace ClearBias DisableBias WaitIterateAll WaitGetTensorC End""",
}
MACROS = """
    __aicore__ __global__ __gm__ __ubuf__ __cbuf__ __ca__ __cb__ __cc__ __biasbuf__ __fbuf__ __vector__ __cube__
    __mix__ __forceinline__ __inline__ __CCE_AICORE__ __NPU_ARCH__ ASCEND_IS_AIC ASCEND_IS_AIV
    GET_TILING_DATA GET_TILING_DATA_WITH_STRUCT GET_TILING_DATA_MEMBER TILING_KEY_IS KERNEL_TASK_TYPE_DEFAULT
    KERNEL_TASK_TYPE REGISTER_TILING_DEFAULT REGISTER_TILING_FOR_TILINGKEY REGIST_MATMUL_OBJ ASSERT
    ascendc_assert
""".split()
# Words of the compiler, which may be macros or not.
WORDS = {"__inline__", "__forceinline__"}


def source() -> str:
    """A unit that compiles where every name exists."""
    lines = ['#include "kernel_operator.h"', '#include "lib/matmul_intf.h"']
    lines += [f"#ifndef {name}\n#error {name} is missing\n#endif" for name in MACROS if name not in WORDS]
    lines += [f"namespace of_{i} {{ using AscendC::{name}; }}" for i, name in enumerate(IN_NAMESPACE)]
    lines += [f"namespace outside_{i} {{ using ::{name}; }}" for i, name in enumerate(OUTSIDE)]
    lines += ["using namespace AscendC;"]
    for enumeration, values in VALUES.items():
        lines += [f"constexpr auto {enumeration}_{value} = {enumeration}::{value};" for value in values.split()]
    for i, (owner, members) in enumerate(MEMBERS.items()):
        usings = " ".join(f"using Owner::{member};" for member in members.split())
        lines.append(f"namespace members_{i} {{ using Owner = {owner}; struct Names : Owner {{ {usings} }}; }}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("core", ["VEC", "CUBE"])
def test_every_name_is_there(tmp_path, core):
    unit = tmp_path / "names.cpp"
    unit.write_text(source())
    command = [compiler() or "g++", "-std=c++17", "-fsyntax-only", f"-D__DAV_C220_{core}__", f"-I{INCLUDE}", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, "\n".join(line for line in done.stderr.splitlines() if "error" in line)


def test_a_name_that_is_missing_is_found(tmp_path):
    unit = tmp_path / "names.cpp"
    unit.write_text(source().replace("using AscendC::Brcb;", "using AscendC::Brcc;"))
    command = [compiler() or "g++", "-std=c++17", "-fsyntax-only", "-D__DAV_C220_VEC__", f"-I{INCLUDE}", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Brcc" in done.stderr
