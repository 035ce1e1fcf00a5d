// SPDX-License-Identifier: GPL-2.0-only
/*
 * Machine instructions as text, by capstone; where instructions begin and
 * end is scan-func.c's knowledge. Spelling follows
 * objdump: no size suffix where a register operand tells the size.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>

#include "disasm.h"

struct disasm {
	const struct pw_code *c;
	csh cs;
	cs_insn *insn; /* one, used again and again */
};

static void copy(char *dst, size_t size, const char *src)
{
	snprintf(dst, size, "%.*s", (int)size - 1, src);
}

static int disasm_init(struct disasm *d, const struct pw_code *c,
		       struct pw_err *err)
{
	bool x86 = c->arch == CODE_X86_64;
	cs_err e;

	d->c = c;
	e = cs_open(x86 ? CS_ARCH_X86 : CS_ARCH_ARM64,
		    x86 ? CS_MODE_64 : CS_MODE_ARM, &d->cs);
	if (e == CS_ERR_OK && x86)
		e = cs_option(d->cs, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	if (e == CS_ERR_OK)
		e = cs_option(d->cs, CS_OPT_DETAIL, CS_OPT_ON);
	if (e != CS_ERR_OK)
		return pw_err_set(err, ENOTSUP, "capstone: %s", cs_strerror(e));
	d->insn = cs_malloc(d->cs);
	return d->insn ? 0 : pw_err_set(err, ENOMEM, "capstone: no memory");
}

static void disasm_release(struct disasm *d)
{
	if (d->insn)
		cs_free(d->insn, 1);
	if (d->cs)
		cs_close(&d->cs);
}

static void unknown_insn(const struct disasm *d, struct pw_minsn *m,
			 const struct scan_insn *si, const uint8_t *p)
{
	size_t at = 0;
	int i;

	/* Cranelift's trap, which capstone does not know */
	if (d->c->arch == CODE_AARCH64 && si->kind == SCAN_TRAP) {
		strcpy(m->opcode, "udf");
		snprintf(m->operands, sizeof(m->operands), "#0x%x",
			 p[0] | p[1] << 8);
		return;
	}

	strcpy(m->opcode, ".byte");
	for (i = 0; i < m->size_bytes; i++)
		at += (size_t)snprintf(m->operands + at,
				       sizeof(m->operands) - at, "%s0x%02x",
				       i ? ", " : "", p[i]);
}

/* Whether a general register of `size` bytes is among the operands; the one
 * that counts a shift's bits says nothing. */
static bool has_register(const cs_x86 *x, unsigned id, unsigned size)
{
	bool shift = id == X86_INS_SAR || id == X86_INS_SHR ||
		     id == X86_INS_SHL || id == X86_INS_ROL ||
		     id == X86_INS_ROR;
	int i;

	for (i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_REG &&
		    x->operands[i].size == size &&
		    !(shift && i + 1 < x->op_count &&
		      x->operands[i].reg == X86_REG_CL))
			return true;
	return false;
}

/* "movl" is mov when a register operand tells the size, "pushq" push. */
static void x86_opcode(const struct disasm *d, struct pw_minsn *m,
		       enum scan_kind kind)
{
	static const char letters[] = "bw l   q"; /* by size - 1 */
	const cs_insn *in = d->insn;
	const cs_x86 *x = &in->detail->x86;
	const char *plain = cs_insn_name(d->cs, in->id), *letter;
	size_t len = plain ? strlen(plain) : 0, prefix;
	const char *tail;

	copy(m->opcode, sizeof(m->opcode), in->mnemonic);
	tail = strrchr(m->opcode, ' '); /* behind "lock", "rep" */
	prefix = tail ? (size_t)(tail + 1 - m->opcode) : 0;
	tail = m->opcode + prefix;
	if (!strcmp(tail, "movd") && has_register(x, in->id, 8))
		strcpy(m->opcode + prefix, "movq");
	if (!len || strncmp(tail, plain, len) || !tail[len] || tail[len + 1])
		return;
	letter = strchr(letters, tail[len]);
	if (letter &&
	    (kind != SCAN_PLAIN || in->id == X86_INS_PUSH ||
	     in->id == X86_INS_POP ||
	     has_register(x, in->id, (unsigned)(letter - letters) + 1)))
		m->opcode[prefix + len] = '\0';
}

/* How many bytes an instruction reads at its operand in memory. */
static unsigned operand_size(const struct disasm *d, const struct scan_insn *si)
{
	const cs_x86 *x = &d->insn->detail->x86;
	int i;

	if (d->c->arch != CODE_X86_64)
		return si->data_size;
	for (i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM)
			return x->operands[i].size;
	return 0;
}

/* "NAME" or "NAME+0x10" of the function at a text offset; false if none. */
static bool place_name(const struct pw_code *c, uint64_t text_off, char *dst,
		       size_t size)
{
	const struct pw_code_func *f = pw_code_func_at(c, text_off);

	if (!f)
		return false;
	if (f->text_off == text_off)
		snprintf(dst, size, "%s", f->name);
	else
		snprintf(dst, size, "%s+0x%" PRIx64, f->name,
			 text_off - f->text_off);
	return true;
}

static void add_note(const struct disasm *d, struct pw_minsn *m,
		     const struct scan_insn *si)
{
	unsigned size = operand_size(d, si);
	const uint8_t *p;

	if (si->takes_addr) {
		const struct pw_code_func *f =
			pw_code_func_at(d->c, si->target);

		if (f && f->text_off == si->target)
			snprintf(m->note, sizeof(m->note), "%s", f->name);
		return;
	}
	p = size ? code_bytes_at(d->c, si->target, size) : NULL;
	if (p)
		constant_print(p, size, m->opcode, m->operands, m->note,
			       sizeof(m->note));
}

/* An object that is not linked yet names what it refers to. */
static bool from_reloc(const struct disasm *d, struct pw_minsn *m,
		       const struct scan_insn *si)
{
	unsigned size = operand_size(d, si);
	const uint8_t *p = NULL;
	const struct code_reloc *r =
		code_reloc_at(d->c, m->text_off, m->size_bytes);

	if (!r)
		return false;
	if (m->is_call || m->is_jump) {
		m->target = PW_NO_OFF;
		copy(m->operands, sizeof(m->operands), r->name);
		return true;
	}
	if (size && !si->takes_addr && r->name[0] == '.')
		p = code_reloc_bytes(r, m->text_off + m->size_bytes, size);
	if (p)
		constant_print(p, size, m->opcode, m->operands, m->note,
			       sizeof(m->note));
	else
		copy(m->note, sizeof(m->note), r->name);
	return true;
}

static void fill_kind(struct pw_minsn *m, const struct scan_insn *si)
{
	m->text_off = si->text_off;
	m->size_bytes = si->size;
	m->is_cond = si->kind == SCAN_COND;
	m->is_jump = m->is_cond || si->kind == SCAN_JUMP ||
		     si->kind == SCAN_JUMP_IND;
	m->is_call = si->kind == SCAN_CALL || si->kind == SCAN_CALL_IND;
	m->target = PW_NO_OFF;
	if (si->target != PW_NO_OFF && si->kind != SCAN_PLAIN &&
	    si->kind != SCAN_CALL_IND && si->kind != SCAN_JUMP_IND &&
	    si->target < UINT64_MAX)
		m->target = si->target;
}

static void fill_text(struct disasm *d, struct pw_minsn *m,
		      const struct scan_insn *si)
{
	const uint8_t *start = d->c->text + si->text_off, *p = start;
	uint64_t addr = si->text_off;
	size_t left = si->size;

	if (si->kind == SCAN_ENTRY) {
		strcpy(m->opcode, ".long");
		snprintf(m->operands, sizeof(m->operands), "0x%" PRIx64,
			 si->target);
		return;
	}
	if (si->kind == SCAN_BAD ||
	    !cs_disasm_iter(d->cs, &p, &left, &addr, d->insn) ||
	    d->insn->size != si->size) {
		unknown_insn(d, m, si, start);
		return;
	}
	if (d->c->arch == CODE_X86_64)
		x86_opcode(d, m, si->kind);
	else
		copy(m->opcode, sizeof(m->opcode), d->insn->mnemonic);
	copy(m->operands, sizeof(m->operands), d->insn->op_str);
	if (from_reloc(d, m, si))
		return;
	if (si->kind == SCAN_CALL ||
	    (si->kind == SCAN_JUMP && m->target != PW_NO_OFF &&
	     pw_code_func_at(d->c, m->target) !=
		     pw_code_func_at(d->c, m->text_off)))
		place_name(d->c, m->target, m->operands, sizeof(m->operands));
	else if (si->target != PW_NO_OFF && m->target == PW_NO_OFF)
		add_note(d, m, si);
}

int pw_code_disasm(const struct pw_code *c, const struct pw_code_func *f,
		   struct pw_minsn **insns, uint32_t *n, struct pw_err *err)
{
	struct disasm d = { 0 };
	struct scan_insn *scan = NULL;
	struct pw_minsn *out = NULL;
	uint32_t i;
	int ret = disasm_init(&d, c, err);

	if (!ret && scan_func(c, f, &scan, n))
		ret = pw_err_set(err, EINVAL,
				 "function %s does not lie within .text",
				 f->name);
	if (ret)
		goto out;
	out = pw_zalloc((*n + 1) * sizeof(*out));
	for (i = 0; i < *n; i++) {
		fill_kind(&out[i], &scan[i]);
		fill_text(&d, &out[i], &scan[i]);
		out[i].wasm_off = pw_code_wasm_off(c, out[i].text_off);
	}
	*insns = out;
out:
	free(scan);
	disasm_release(&d);
	return ret;
}
