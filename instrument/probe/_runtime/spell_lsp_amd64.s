#include "textflag.h"

// func spellTicks() int64
TEXT runtime·spellTicks<ABIInternal>(SB),NOSPLIT,$0-8
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	RET
