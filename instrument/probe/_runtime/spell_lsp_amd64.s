#include "textflag.h"

// func spellNow() int64
TEXT runtime·spellNow<ABIInternal>(SB),NOSPLIT,$0-8
	CMPB	runtime·spellTSC(SB), $0
	JEQ	other
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	RET
other:
	JMP	runtime·nanotime<ABIInternal>(SB)
