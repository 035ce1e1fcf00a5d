// SPDX-License-Identifier: GPL-2.0-only
/*
 * Validates a whole body at memory speed. A short cut only: each handler
 * accepts what it is sure of and leaves all else, every fault included, to
 * walk_step() on the same state. When anything failed, the body is walked
 * again from its start by walk_step() alone, which finds the exact fault.
 *
 * What makes it fast: one table look-up an instruction, types compared as
 * numbers, no allocation (the stack has room for a value per byte left), and
 * no check for the end of the bytes but one an instruction: it stops SLACK
 * bytes before the end of the module.
 */
#include "walk.h"

#define SLACK  40 /* more than any handler reads ahead */
#define INLINE static inline __attribute__((always_inline))

enum fast_class {
	FAST_NONE, /* for walk_step() */
	FAST_UNARY,
	FAST_BINARY,
	FAST_NOP,
	FAST_LEB4, /* i32.const */
	FAST_LEB8, /* i64.const */
	FAST_SKIP, /* f32.const, f64.const, v128.const, i8x16.shuffle */
	FAST_LOAD,
	FAST_STORE,
	FAST_LOCAL_GET,
	FAST_LOCAL_SET,
	FAST_LOCAL_TEE,
	FAST_GLOBAL_GET,
	FAST_GLOBAL_SET,
	FAST_DROP,
	FAST_SELECT,
	FAST_BLOCK,
	FAST_IF,
	FAST_ELSE,
	FAST_END,
	FAST_BR,
	FAST_BR_IF,
	FAST_BR_TABLE,
	FAST_RETURN,
	FAST_UNREACHABLE,
	FAST_CALL,
	FAST_CALL_INDIRECT,
	FAST_PREFIX_FD,
};

/* Operand types a (below) and b, result r; n: bytes to skip, or alignment. */
struct fast_op {
	uint8_t class, a, b, r;
	uint8_t n, op;
};

struct fast_tables {
	struct fast_op byte[256], fd[0x120];
};

/* The walker's state that changes with every instruction, in registers. */
struct fast {
	const uint8_t *p;
	uint32_t *sp, *floor; /* next free value; the block's first */
};

/* --- LEB128 ------------------------------------------------------------------ */

/* Bytes of the number at p, or 9 when there are more than 8. */
INLINE uint32_t leb_len(const uint8_t *p)
{
	uint64_t x, stop;

	memcpy(&x, p, 8);
	stop = ~x & 0x8080808080808080ull;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	stop = __builtin_bswap64(stop);
#endif
	return stop ? __builtin_ctzll(stop) / 8 + 1 : 9;
}

/* An index of at most four bytes; false leaves longer ones to others. */
INLINE bool read_idx(struct fast *f, uint32_t *idx)
{
	const uint8_t *p = f->p;
	uint32_t v = *p++;

	if (v >= 0x80) {
		uint32_t shift = 7;

		v &= 0x7f;
		do {
			v |= (uint32_t)(*p & 0x7f) << shift;
			shift += 7;
		} while (*p++ >= 0x80 && shift < 28);
		if (p[-1] >= 0x80)
			return false;
	}
	f->p = p;
	*idx = v;
	return true;
}

/* --- values -------------------------------------------------------------------- */

INLINE bool has(const struct fast *f, uint32_t n)
{
	return f->sp - f->floor >= (ptrdiff_t)n;
}

INLINE bool top_is(const struct fast *f, uint32_t type)
{
	return has(f, 1) && f->sp[-1] == type;
}

INLINE bool push(struct fast *f, uint32_t type)
{
	*f->sp++ = type;
	return true;
}

INLINE bool fast_unary(struct fast *f, const struct fast_op *op)
{
	if (!top_is(f, op->a))
		return false;
	f->sp[-1] = op->r;
	return true;
}

INLINE bool fast_binary(struct fast *f, const struct fast_op *op)
{
	if (!has(f, 2) || (f->sp[-2] ^ op->a) | (f->sp[-1] ^ op->b))
		return false;
	f->sp--;
	f->sp[-1] = op->r;
	return true;
}

INLINE bool fast_leb(struct fast *f, const struct fast_op *op)
{
	uint32_t len = leb_len(f->p);

	if (len > op->n)
		return false;
	f->p += len;
	return push(f, op->r);
}

INLINE bool fast_skip(struct fast *f, const struct fast_op *op)
{
	f->p += op->n;
	return push(f, op->r);
}

/* Memory 0 only, offsets of at most four bytes. */
INLINE bool memarg(struct fast *f, const struct fast_op *op)
{
	uint32_t len = leb_len(f->p + 1);

	if (f->p[0] > op->n || len > 4)
		return false;
	f->p += 1 + len;
	return true;
}

INLINE bool fast_load(struct fast *f, const struct fast_op *op)
{
	if (!top_is(f, op->a) || !memarg(f, op))
		return false;
	f->sp[-1] = op->r;
	return true;
}

INLINE bool fast_store(struct fast *f, const struct fast_op *op)
{
	if (!has(f, 2) || (f->sp[-2] ^ op->a) | (f->sp[-1] ^ op->b) ||
	    !memarg(f, op))
		return false;
	f->sp -= 2;
	return true;
}

/* --- variables ------------------------------------------------------------------- */

INLINE bool fast_local(struct fast *f, const struct pw_walk *w,
		       enum fast_class class)
{
	uint32_t idx, type;

	if (!read_idx(f, &idx) || idx >= w->n_locals || w->unset)
		return false;
	type = w->locals[idx];
	if (class == FAST_LOCAL_GET)
		return push(f, type);
	if (!top_is(f, type))
		return false;
	f->sp -= class == FAST_LOCAL_SET;
	return true;
}

INLINE bool fast_global(struct fast *f, const struct pw_module *m,
			enum fast_class class)
{
	uint32_t idx;

	if (!read_idx(f, &idx) || idx >= m->n[PW_EXT_GLOBAL])
		return false;
	if (class == FAST_GLOBAL_GET)
		return push(f, m->globals[idx].type);
	if (!m->globals[idx].mutable_ || !top_is(f, m->globals[idx].type))
		return false;
	f->sp--;
	return true;
}

INLINE bool fast_drop(struct fast *f)
{
	if (!has(f, 1))
		return false;
	f->sp--;
	return true;
}

INLINE bool fast_select(struct fast *f)
{
	uint32_t type;

	if (!has(f, 3) || f->sp[-1] != PW_I32 || f->sp[-2] != f->sp[-3])
		return false;
	type = f->sp[-2];
	if (type_is_ref(type))
		return false;
	f->sp -= 2;
	return true;
}

/* --- blocks ------------------------------------------------------------------------ */

INLINE void set_floor(struct fast *f, const struct pw_walk *w)
{
	f->floor = w->types + w->frames[w->n_frames - 1].height;
}

/* Blocks of no parameters and at most one number as a result. */
INLINE bool fast_block(struct fast *f, struct pw_walk *w,
		       const struct fast_op *op)
{
	uint8_t type = *f->p;
	struct walk_frame *fr;

	if (type != 0x40 && (type < PW_V128 || type > PW_I32))
		return false;
	if (w->n_frames == w->frames_cap)
		return false;
	f->p++;
	fr = &w->frames[w->n_frames++];
	fr->op = op->op;
	fr->unreachable = false;
	fr->ft = NULL;
	fr->result = type == 0x40 ? (uint32_t)PW_BOTTOM : type;
	fr->height = f->sp - w->types;
	fr->n_inits = w->n_inits;
	f->floor = f->sp;
	return true;
}

INLINE bool fast_if(struct fast *f, struct pw_walk *w, const struct fast_op *op)
{
	if (!top_is(f, PW_I32))
		return false;
	f->sp--;
	if (fast_block(f, w, op))
		return true;
	f->sp++;
	return false;
}

/* Is what is left on the stack what the block returns? */
INLINE bool block_ends(const struct fast *f, const struct pw_walk *w,
		       const struct walk_frame *fr)
{
	uint32_t left = f->sp - f->floor;

	if (fr->ft || w->n_inits != fr->n_inits)
		return false;
	if (fr->unreachable && !left)
		return true;
	if (fr->result == PW_BOTTOM)
		return !left;
	return left == 1 && f->sp[-1] == fr->result;
}

INLINE bool fast_else(struct fast *f, struct pw_walk *w)
{
	struct walk_frame *fr = walk_top(w);

	if (fr->op != PW_OP_if || !block_ends(f, w, fr))
		return false;
	fr->op = PW_OP_else;
	fr->unreachable = false;
	f->sp = f->floor;
	return true;
}

INLINE bool fast_end(struct fast *f, struct pw_walk *w)
{
	struct walk_frame *fr = walk_top(w);

	if (w->n_frames == 1 || !block_ends(f, w, fr))
		return false;
	if (fr->op == PW_OP_if && fr->result != PW_BOTTOM)
		return false;
	f->sp = f->floor;
	if (fr->result != PW_BOTTOM)
		*f->sp++ = fr->result;
	w->n_frames--;
	set_floor(f, w);
	return true;
}

/* --- branches ------------------------------------------------------------------------ */

/* A label of none or one type is that type; NO_IDX for all others. */
INLINE uint32_t label_type(const struct walk_frame *fr)
{
	if (!fr->ft)
		return fr->op == PW_OP_loop ? (uint32_t)PW_BOTTOM : fr->result;
	if (fr->op == PW_OP_loop || fr->ft->n_results > 1)
		return NO_IDX;
	return fr->ft->n_results ? fr->ft->results[0] : (uint32_t)PW_BOTTOM;
}

INLINE bool takes(const struct fast *f, uint32_t type)
{
	return type == PW_BOTTOM || (type != NO_IDX && top_is(f, type));
}

INLINE bool stop(struct fast *f, struct pw_walk *w)
{
	walk_top(w)->unreachable = true;
	f->sp = f->floor;
	return true;
}

INLINE bool fast_br(struct fast *f, struct pw_walk *w)
{
	uint32_t label;

	if (!read_idx(f, &label) || label >= w->n_frames)
		return false;
	if (!takes(f, label_type(&w->frames[w->n_frames - 1 - label])))
		return false;
	return stop(f, w);
}

INLINE bool fast_br_if(struct fast *f, struct pw_walk *w)
{
	uint32_t label;

	if (!read_idx(f, &label) || label >= w->n_frames || !top_is(f, PW_I32))
		return false;
	f->sp--;
	if (takes(f, label_type(&w->frames[w->n_frames - 1 - label])))
		return true;
	f->sp++;
	return false;
}

INLINE bool fast_return(struct fast *f, struct pw_walk *w)
{
	if (!takes(f, label_type(&w->frames[0])))
		return false;
	return stop(f, w);
}

/* All labels of one byte and of one type. */
static const uint8_t *fast_labels(const struct pw_walk *w, const uint8_t *p,
				  const uint8_t *safe, uint32_t *type)
{
	uint32_t n, n_frames = w->n_frames;
	struct fast f = { .p = p };

	if (!read_idx(&f, &n) || n >= (size_t)(safe - f.p))
		return NULL;
	p = f.p;
	*type = NO_IDX;
	for (uint32_t i = 0; i <= n; i++) {
		uint32_t label = *p++, t;

		if (label >= n_frames || label >= 0x80)
			return NULL;
		t = label_type(&w->frames[n_frames - 1 - label]);
		if (i && t != *type)
			return NULL;
		*type = t;
	}
	return p;
}

INLINE bool fast_br_table(struct fast *f, struct pw_walk *w,
			  const uint8_t *safe)
{
	uint32_t type;
	const uint8_t *p;

	if (!top_is(f, PW_I32))
		return false;
	p = fast_labels(w, f->p, safe, &type);
	if (!p)
		return false;
	f->sp--;
	if (!takes(f, type)) {
		f->sp++;
		return false;
	}
	f->p = p;
	return stop(f, w);
}

/* --- calls ----------------------------------------------------------------------------- */

INLINE bool call(struct fast *f, const struct pw_functype *ft)
{
	uint32_t n = ft->n_params;
	uint32_t *args = f->sp - n;

	if (!has(f, n) || ft->n_results > 1)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (args[i] != ft->params[i])
			return false;
	f->sp = args;
	if (ft->n_results)
		*f->sp++ = ft->results[0];
	return true;
}

INLINE bool fast_call(struct fast *f, const struct pw_module *m)
{
	uint32_t idx;

	if (!read_idx(f, &idx) || idx >= m->n[PW_EXT_FUNC])
		return false;
	return call(f, &m->types[m->funcs[idx].type_idx].func);
}

/* Table 0 of plain function references with 32-bit indexes. */
INLINE bool fast_call_indirect(struct fast *f, const struct pw_module *m)
{
	uint32_t idx;

	if (!read_idx(f, &idx) || idx >= m->n_types || *f->p ||
	    !m->n[PW_EXT_TABLE] || m->types[idx].kind != COMP_FUNC)
		return false;
	if (m->tables[0].is64 ||
	    m->tables[0].type != type_ref(true, HEAP_FUNC) ||
	    !top_is(f, PW_I32))
		return false;
	f->p++;
	f->sp--;
	if (call(f, &m->types[idx].func))
		return true;
	f->sp++;
	return false;
}

/* --- the loop --------------------------------------------------------------------------- */

INLINE bool fast_insn(struct fast *f, struct pw_walk *w,
		      const struct fast_op *op, const uint8_t *safe)
{
	switch ((enum fast_class)op->class) {
	case FAST_UNARY:
		return fast_unary(f, op);
	case FAST_BINARY:
		return fast_binary(f, op);
	case FAST_NOP:
		return true;
	case FAST_LEB4:
	case FAST_LEB8:
		return fast_leb(f, op);
	case FAST_SKIP:
		return fast_skip(f, op);
	case FAST_LOAD:
		return fast_load(f, op);
	case FAST_STORE:
		return fast_store(f, op);
	case FAST_LOCAL_GET:
		return fast_local(f, w, FAST_LOCAL_GET);
	case FAST_LOCAL_SET:
		return fast_local(f, w, FAST_LOCAL_SET);
	case FAST_LOCAL_TEE:
		return fast_local(f, w, FAST_LOCAL_TEE);
	case FAST_GLOBAL_GET:
		return fast_global(f, w->m, FAST_GLOBAL_GET);
	case FAST_GLOBAL_SET:
		return fast_global(f, w->m, FAST_GLOBAL_SET);
	case FAST_DROP:
		return fast_drop(f);
	case FAST_SELECT:
		return fast_select(f);
	case FAST_BLOCK:
		return fast_block(f, w, op);
	case FAST_IF:
		return fast_if(f, w, op);
	case FAST_ELSE:
		return fast_else(f, w);
	case FAST_END:
		return fast_end(f, w);
	case FAST_BR:
		return fast_br(f, w);
	case FAST_BR_IF:
		return fast_br_if(f, w);
	case FAST_BR_TABLE:
		return fast_br_table(f, w, safe);
	case FAST_RETURN:
		return fast_return(f, w);
	case FAST_UNREACHABLE:
		return stop(f, w);
	case FAST_CALL:
		return fast_call(f, w->m);
	case FAST_CALL_INDIRECT:
		return fast_call_indirect(f, w->m);
	case FAST_PREFIX_FD:
	case FAST_NONE:
		break;
	}
	return false;
}

/* From here to the end of the bytes every value can be pushed unchecked. */
static int make_room(struct pw_walk *w)
{
	size_t left = w->c.end - w->c.p;

	return walk_reserve(w, left + 1);
}

/* Puts the state where walk_step() looks for it, and back. */
static int slow_insn(struct fast *f, struct pw_walk *w)
{
	int rc;

	w->c.p = f->p;
	w->sp = f->sp - w->types;
	rc = walk_step(w) ?: make_room(w);
	f->p = w->c.p;
	f->sp = w->types + w->sp;
	return rc;
}

INLINE const struct fast_op *fetch(struct fast *f, const struct fast_tables *t)
{
	const struct fast_op *op = &t->byte[*f->p++];
	uint32_t code;

	if (op->class != FAST_PREFIX_FD)
		return op;
	code = *f->p++;
	if (code >= 0x80)
		code = (code & 0x7f) | (uint32_t)*f->p++ << 7;
	return code < 0x120 ? &t->fd[code] : op;
}

/* Up to `safe`; the rest is walk_step()'s. */
static int fast_part(struct pw_walk *w, const struct fast_tables *t,
		     const uint8_t *safe)
{
	struct fast f = { .p = w->c.p, .sp = w->types + w->sp };
	struct fast copy;
	int rc;

	set_floor(&f, w);
	while (f.p < safe) {
		const uint8_t *start = f.p;

		if (__builtin_expect(fast_insn(&f, w, fetch(&f, t), safe), 1))
			continue;
		copy = f;
		copy.p = start;
		rc = slow_insn(&copy, w);
		if (rc < 0 || w->over)
			return rc;
		f = copy;
		set_floor(&f, w);
	}
	if (f.p > w->c.end)
		return -EINVAL;
	w->c.p = f.p;
	w->sp = f.sp - w->types;
	return 0;
}

static int fast_body(struct pw_walk *w, const struct fast_tables *t)
{
	const uint8_t *safe = w->c.end;
	size_t after = w->m->bytes + w->m->size - safe;
	int rc = make_room(w);

	if (after < SLACK) {
		size_t cut = SLACK - after;

		if (cut > (size_t)(safe - w->c.p))
			cut = safe - w->c.p;
		safe -= cut;
	}
	if (rc == 0)
		rc = fast_part(w, t, safe);
	while (rc == 0 && !w->over)
		rc = walk_step(w);
	return rc;
}

/* --- the tables ------------------------------------------------------------------------- */

static uint8_t letter_type(const struct pw_module *m, char letter)
{
	switch (letter) {
	case 'i':
		return PW_I32;
	case 'I':
		return PW_I64;
	case 'f':
		return PW_F32;
	case 'F':
		return PW_F64;
	case 'V':
		return PW_V128;
	}
	return m->memories[0].is64 ? PW_I64 : PW_I32; /* 'a' */
}

static void set_memory(struct fast_op *f, const struct pw_module *m,
		       const struct pw_op_info *info)
{
	const char *sig = info->sig;

	if (!m->n[PW_EXT_MEMORY] || info->flags & PW_OPF_ATOMIC)
		return;
	f->a = letter_type(m, 'a');
	f->n = info->size_log2;
	if (!strncmp(sig, "a:", 2)) {
		f->class = FAST_LOAD;
		f->r = letter_type(m, sig[2]);
	} else if (sig[1] != ':' && sig[2] == ':' && !sig[3]) {
		f->class = FAST_STORE;
		f->b = letter_type(m, sig[1]);
	}
}

static void set_numeric(struct fast_op *f, const struct pw_module *m,
			const struct pw_op_info *info)
{
	const char *sig = info->sig;

	if (!strcmp(sig, ":")) {
		f->class = FAST_NOP;
	} else if (strlen(sig) == 3 && sig[1] == ':') {
		f->class = FAST_UNARY;
		f->a = letter_type(m, sig[0]);
		f->r = letter_type(m, sig[2]);
	} else if (strlen(sig) == 4 && sig[2] == ':') {
		f->class = FAST_BINARY;
		f->a = letter_type(m, sig[0]);
		f->b = letter_type(m, sig[1]);
		f->r = letter_type(m, sig[3]);
	}
}

static void set_constant(struct fast_op *f, const struct pw_module *m,
			 const struct pw_op_info *info, enum fast_class class,
			 uint8_t n)
{
	f->class = class;
	f->n = n;
	f->r = letter_type(m, info->sig[1]);
}

static void set_op(struct fast_op *f, const struct pw_module *m, enum pw_op op)
{
	static const uint8_t others[PW_N_OPS] = {
		[PW_OP_block] = FAST_BLOCK,
		[PW_OP_loop] = FAST_BLOCK,
		[PW_OP_if] = FAST_IF,
		[PW_OP_else] = FAST_ELSE,
		[PW_OP_end] = FAST_END,
		[PW_OP_br] = FAST_BR,
		[PW_OP_br_if] = FAST_BR_IF,
		[PW_OP_br_table] = FAST_BR_TABLE,
		[PW_OP_return] = FAST_RETURN,
		[PW_OP_unreachable] = FAST_UNREACHABLE,
		[PW_OP_call] = FAST_CALL,
		[PW_OP_call_indirect] = FAST_CALL_INDIRECT,
		[PW_OP_local_get] = FAST_LOCAL_GET,
		[PW_OP_local_set] = FAST_LOCAL_SET,
		[PW_OP_local_tee] = FAST_LOCAL_TEE,
		[PW_OP_global_get] = FAST_GLOBAL_GET,
		[PW_OP_global_set] = FAST_GLOBAL_SET,
		[PW_OP_drop] = FAST_DROP,
		[PW_OP_select] = FAST_SELECT,
	};
	const struct pw_op_info *info = pw_op_info(op);

	f->op = op; /* blocks only, which come first in the table */
	f->class = others[op];
	if (info->imm == PW_IMM_MEMARG)
		set_memory(f, m, info);
	else if (info->imm == PW_IMM_I32)
		set_constant(f, m, info, FAST_LEB4, 4);
	else if (info->imm == PW_IMM_I64)
		set_constant(f, m, info, FAST_LEB8, 8);
	else if (info->imm == PW_IMM_F32)
		set_constant(f, m, info, FAST_SKIP, 4);
	else if (info->imm == PW_IMM_F64)
		set_constant(f, m, info, FAST_SKIP, 8);
	else if (info->imm == PW_IMM_V128)
		set_constant(f, m, info, FAST_SKIP, 16);
	else if (info->imm == PW_IMM_NONE && info->sig[0] != '*')
		set_numeric(f, m, info);
}

static void make_tables(struct fast_tables *t, const struct pw_module *m)
{
	memset(t, 0, sizeof(*t));
	for (uint32_t i = 0; i < PW_N_OPS; i++) {
		const struct pw_op_info *info = pw_op_info(i);

		if (!info->prefix)
			set_op(&t->byte[info->code], m, i);
		else if (info->prefix == 0xfd)
			set_op(&t->fd[info->code], m, i);
	}
	t->byte[0xfd].class = FAST_PREFIX_FD;
}

/* --- whole modules ------------------------------------------------------------------------ */

static int check_body(struct pw_walk *w, const struct fast_tables *t,
		      uint32_t func_idx, struct pw_err *err)
{
	int rc = walk_start_body(w, func_idx, NULL);

	if (rc == 0)
		rc = fast_body(w, t);
	if (rc == 0)
		return 0;
	rc = walk_start_body(w, func_idx, err);
	while (rc == 0 && !w->over)
		rc = walk_step(w);
	if (rc < 0 && err)
		rc = -err->code;
	return rc;
}

int pw_module_check_bodies(const struct pw_module *m, struct pw_err *err)
{
	struct fast_tables tables;
	struct pw_insn insn;
	struct pw_walk w;
	int rc = 0;

	make_tables(&tables, m);
	walk_init(&w, m);
	w.in = &insn;
	for (uint32_t i = m->n_imported[PW_EXT_FUNC];
	     i < m->n[PW_EXT_FUNC] && rc == 0; i++) {
		rc = check_body(&w, &tables, i, err);
		if (rc < 0)
			pw_err_prefix(err, "function %u", i);
	}
	walk_release(&w);
	return rc;
}
