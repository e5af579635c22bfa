package runtime

// Numbers of system calls that move bytes, or change what a descriptor stands for.
const (
	spellSysRead          = 0
	spellSysWrite         = 1
	spellSysClose         = 3
	spellSysFstat         = 5
	spellSysPread         = 17
	spellSysPwrite        = 18
	spellSysReadv         = 19
	spellSysWritev        = 20
	spellSysDup2          = 33
	spellSysSendfile      = 40
	spellSysSocket        = 41
	spellSysConnect       = 42
	spellSysSendto        = 44
	spellSysRecvfrom      = 45
	spellSysSendmsg       = 46
	spellSysRecvmsg       = 47
	spellSysGetsockname   = 51
	spellSysGetpeername   = 52
	spellSysOpenat        = 257
	spellSysSplice        = 275
	spellSysAccept4       = 288
	spellSysDup3          = 292
	spellSysPreadv        = 295
	spellSysPwritev       = 296
	spellSysRecvmmsg      = 299
	spellSysSendmmsg      = 307
	spellSysCopyFileRange = 326
	spellSysPreadv2       = 327
	spellSysFstatfs       = 138
	spellSysPwritev2      = 328

	spellModeWord = 3 // of struct stat, in 64 bits: its lower half is st_mode
)
