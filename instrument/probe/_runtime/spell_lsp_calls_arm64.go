package runtime

// Numbers of system calls that move bytes, or change what a descriptor stands for.
const (
	spellSysDup2          = ^uintptr(0) // there is none
	spellSysDup3          = 24
	spellSysOpenat        = 56
	spellSysClose         = 57
	spellSysRead          = 63
	spellSysWrite         = 64
	spellSysReadv         = 65
	spellSysWritev        = 66
	spellSysPread         = 67
	spellSysPwrite        = 68
	spellSysPreadv        = 69
	spellSysPwritev       = 70
	spellSysSendfile      = 71
	spellSysSplice        = 76
	spellSysFstat         = 80
	spellSysSocket        = 198
	spellSysConnect       = 203
	spellSysGetsockname   = 204
	spellSysGetpeername   = 205
	spellSysSendto        = 206
	spellSysRecvfrom      = 207
	spellSysSendmsg       = 211
	spellSysRecvmsg       = 212
	spellSysAccept4       = 242
	spellSysRecvmmsg      = 243
	spellSysSendmmsg      = 269
	spellSysCopyFileRange = 285
	spellSysPreadv2       = 286
	spellSysFstatfs       = 44
	spellSysPwritev2      = 287

	spellModeWord = 2 // of struct stat, in 64 bits: its lower half is st_mode
)
