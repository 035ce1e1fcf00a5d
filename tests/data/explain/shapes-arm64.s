// Loops of AArch64, one shape each: aarch64-linux-gnu-as.
	.text
	.type invariant, %function
	.globl invariant
invariant:
1:	fsqrt	d1, d2
	fadd	d0, d0, d1
	subs	w0, w0, #1
	b.ne	1b
	ret
	.size invariant, .-invariant
	.type divides, %function
	.globl divides
divides:
	mov	w2, #13
1:	add	w1, w1, #33
	udiv	w3, w1, w2
	msub	w1, w3, w2, w1
	subs	w0, w0, #1
	b.ne	1b
	mov	w0, w1
	ret
	.size divides, .-divides
	.type spills, %function
	.globl spills
spills:
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
1:	ldr	d0, [sp, #16]
	fadd	d0, d0, d1
	str	d0, [sp, #16]
	subs	w0, w0, #1
	b.ne	1b
	ldp	x29, x30, [sp], #32
	ret
	.size spills, .-spills
	.type clean, %function
	.globl clean
clean:
1:	fsqrt	d2, d2
	fadd	d0, d0, d2
	udiv	w4, w1, w3
	add	w1, w1, w4
	subs	w0, w0, #1
	b.ne	1b
	ret
	.size clean, .-clean
