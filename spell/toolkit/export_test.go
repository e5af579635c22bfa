package toolkit

// What tests set, so that small inputs meet the ends of blocks and buffers.
var (
	ReadMatrixInBlocks = readMatrix
	ReadTraceInBuffers = readTrace
)
