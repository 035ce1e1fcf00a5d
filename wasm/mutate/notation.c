// SPDX-License-Identifier: GPL-2.0-only
/*
 * notation: a mutation as a line of text, and back. The text of an
 * instruction is pw_insn_print()'s; parsing finds the one mutation of that
 * place that prints the same, so the two can't disagree.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "site.h"

static const char *const kind_names[PW_N_MUTATION_KINDS] = {
#define PW_MUTATION(id, name, help) [PW_MUT_##id] = #name,
#include <perfwasm/mutations.def>
#undef PW_MUTATION
};

const char *pw_mutation_kind_name(enum pw_mutation_kind kind)
{
	return kind < PW_N_MUTATION_KINDS ? kind_names[kind] : "?";
}

enum pw_mutation_kind pw_mutation_kind_find(const char *name)
{
	unsigned kind = 0;

	while (kind < PW_N_MUTATION_KINDS && strcmp(kind_names[kind], name))
		kind++;
	return kind;
}

static void print_old(const struct pw_module *m, const struct pw_mutation *mut,
		      struct pw_buf *out)
{
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size);
	struct pw_insn insn;

	if (mut->insn_off >= size)
		return;
	insn_read(&insn, mut->old_op, bytes + mut->insn_off,
		  size - mut->insn_off);
	insn.off = mut->insn_off;
	pw_insn_print(m, &insn, out);
}

/* The name of a heap type is that of its reference without "(ref )". */
static void print_null(const struct pw_mutation *mut, struct pw_buf *out)
{
	char name[PW_TYPE_NAME_SIZE];
	struct pw_cursor c;
	int64_t heap;

	pw_cursor_init(&c, mut->new_bytes + 1, mut->new_size - 1u, 0, NULL);
	heap = pw_cursor_sleb33(&c);
	pw_type_name(PW_REF | (heap < 0 ? PW_HEAP_ABSTRACT | (heap & 0x7f)
					: (uint32_t)heap),
		     name);
	name[strlen(name) - 1] = 0;
	pw_buf_printf(out, "ref.null %s", name + strlen("(ref "));
}

static void print_new(const struct pw_module *m, const struct pw_mutation *mut,
		      struct pw_buf *out)
{
	struct pw_insn insn;

	if (mut->new_op == PW_OP_ref_null) {
		print_null(mut, out);
		return;
	}
	insn_read(&insn, mut->new_op, mut->new_bytes, mut->new_size);
	pw_insn_print(m, &insn, out);
}

void pw_mutation_print(const struct pw_module *m, const struct pw_mutation *mut,
		       struct pw_buf *out)
{
	pw_buf_printf(out, "f%u i%u %s ", mut->func_idx, mut->insn_idx,
		      pw_mutation_kind_name(mut->kind));
	print_old(m, mut, out);
	pw_buf_printf(out, " -> ");
	print_new(m, mut, out);
}

/* --- parsing ---------------------------------------------------------------- */

/* A line cut into its parts; the strings lie in `text`. */
struct parts {
	uint32_t func_idx, insn_idx;
	const char *kind, *old, *new;
	char text[256];
};

/* Copies a line with every run of blanks as one space, none at the ends. */
static bool squeeze(char *dst, size_t size, const char *src)
{
	size_t n = 0;

	for (; *src; src++) {
		bool blank = isspace((unsigned char)*src);

		if (blank && (!n || dst[n - 1] == ' '))
			continue;
		if (n + 1 == size)
			return false;
		dst[n++] = blank ? ' ' : *src;
	}
	if (n && dst[n - 1] == ' ')
		n--;
	dst[n] = 0;
	return true;
}

/* "f12 " */
static bool take_number(char **p, char letter, uint32_t *v)
{
	uint64_t n = 0;
	char *s = *p;

	if (*s++ != letter || !isdigit((unsigned char)*s))
		return false;
	for (; isdigit((unsigned char)*s); s++) {
		n = n * 10 + (uint64_t)(*s - '0');
		if (n > UINT32_MAX)
			return false;
	}
	if (*s++ != ' ')
		return false;
	*v = (uint32_t)n;
	*p = s;
	return true;
}

static bool split(struct parts *parts, const char *line)
{
	char *p = parts->text, *space, *arrow;

	if (!squeeze(parts->text, sizeof(parts->text), line) ||
	    !take_number(&p, 'f', &parts->func_idx) ||
	    !take_number(&p, 'i', &parts->insn_idx))
		return false;
	space = strchr(p, ' ');
	arrow = strstr(p, " -> ");
	if (!space || !arrow || arrow <= space)
		return false;
	*space = 0;
	*arrow = 0;
	parts->kind = p;
	parts->old = space + 1;
	parts->new = arrow + 4;
	return *parts->new;
}

/* The walk to the instruction of a line. */
static int walk_to(struct pw_walk *walk, const struct parts *parts,
		   struct pw_insn *insn, struct pw_err *err)
{
	uint32_t n = 0;
	int rc = pw_walk_start(walk, parts->func_idx, err);

	while (!rc && (rc = pw_walk_next(walk, insn, err)) == 1) {
		if (insn->idx == parts->insn_idx)
			return 0;
		n = insn->idx + 1;
		rc = 0;
	}
	if (rc < 0)
		return rc;
	return pw_err_set(err, EINVAL,
			  "function %u has %u instructions, there is no i%u",
			  parts->func_idx, n, parts->insn_idx);
}

struct search {
	const struct pw_module *m;
	const char *text;
	struct pw_mutation *mut;
	struct pw_buf buf;
	unsigned n_others;
};

static int try_one(void *ctx, const struct pw_mutation *mut)
{
	struct search *s = ctx;

	s->buf.len = 0;
	print_new(s->m, mut, &s->buf);
	if (strcmp(pw_buf_str(&s->buf), s->text)) {
		s->n_others++;
		return 0;
	}
	*s->mut = *mut;
	return 1;
}

static int find(const struct pw_module *m, const struct parts *parts,
		enum pw_mutation_kind kind, const struct pw_insn *insn,
		struct pw_mutation *mut, struct pw_err *err)
{
	struct search s = { .m = m, .text = parts->new, .mut = mut };
	struct pw_mutate_filter filter = {
		.kinds = 1u << kind,
		.funcs = &parts->func_idx,
		.n_funcs = 1,
	};
	int rc;

	if (insn->unreachable)
		return pw_err_set(
			err, EINVAL,
			"f%u i%u `%s` is never reached, and unreachable code has no mutations",
			parts->func_idx, insn->idx, parts->old);
	rc = mutate_each(m, &filter, parts->insn_idx, try_one, &s, err);
	pw_buf_release(&s.buf);
	if (rc)
		return rc < 0 ? rc : 0;
	return pw_err_set(
		err, EINVAL,
		"f%u i%u `%s` has no %s mutation to `%s`; it has %u others of this kind",
		parts->func_idx, insn->idx, parts->old, parts->kind, parts->new,
		s.n_others);
}

static int check_func(const struct pw_module *m, const struct parts *parts,
		      struct pw_err *err)
{
	uint32_t n = pw_module_n(m, PW_EXT_FUNC);

	if (parts->func_idx >= n)
		return pw_err_set(
			err, EINVAL,
			"the module has %u functions, there is no f%u", n,
			parts->func_idx);
	if (parts->func_idx < pw_module_n_imported(m, PW_EXT_FUNC))
		return pw_err_set(
			err, EINVAL,
			"f%u is imported: it has no instructions here",
			parts->func_idx);
	return 0;
}

static int check_old(const struct pw_module *m, const struct parts *parts,
		     const struct pw_insn *insn, struct pw_err *err)
{
	struct pw_buf buf = { 0 };
	int rc = 0;

	pw_insn_print(m, insn, &buf);
	if (strcmp(pw_buf_str(&buf), parts->old))
		rc = pw_err_set(
			err, EINVAL,
			"f%u i%u is `%s`, the line says `%s`: is it about another module?",
			parts->func_idx, insn->idx, pw_buf_str(&buf),
			parts->old);
	pw_buf_release(&buf);
	return rc;
}

static int resolve(const struct pw_module *m, const struct parts *parts,
		   struct pw_mutation *mut, struct pw_err *err)
{
	enum pw_mutation_kind kind = pw_mutation_kind_find(parts->kind);
	struct pw_walk *walk;
	struct pw_insn insn;
	int rc;

	if (kind == PW_N_MUTATION_KINDS)
		return pw_err_set(
			err, EINVAL,
			"expected operand, operator or deletion, found `%s`",
			parts->kind);
	rc = check_func(m, parts, err);
	if (rc)
		return rc;
	walk = pw_walk_new(m);
	rc = walk_to(walk, parts, &insn, err);
	if (!rc)
		rc = check_old(m, parts, &insn, err);
	if (!rc)
		rc = find(m, parts, kind, &insn, mut, err);
	pw_walk_free(walk);
	return rc;
}

int pw_mutation_parse(const struct pw_module *m, const char *line,
		      struct pw_mutation *mut, struct pw_err *err)
{
	struct parts parts;

	if (!split(&parts, line))
		return pw_err_set(
			err, EINVAL,
			"expected a line like `f12 i345 operator i32.mul -> i32.div_u`, found `%.80s`",
			line);
	return resolve(m, &parts, mut, err);
}
