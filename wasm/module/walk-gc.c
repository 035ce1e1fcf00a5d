// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types of the garbage collection instructions: structures, arrays, casts
 * (core specification 3.0, 3.4.8 "Reference" to 3.4.11 "Array Instructions").
 */
#include "walk.h"

#define MAX_FIXED_ARRAY 10000 /* operands of array.new_fixed, as engines */

static const struct mod_type *type_of_kind(struct pw_walk *w, uint32_t idx,
					   enum comp_kind kind)
{
	const struct mod_type *t = &w->m->types[idx];

	if (t->kind == kind)
		return t;
	walk_fail(w, EINVAL, "type %u is not %s type", idx,
		  kind == COMP_STRUCT ? "a structure" : "an array");
	return NULL;
}

static bool packed(uint32_t storage)
{
	uint32_t t = storage & ~FIELD_MUT;

	return t == PW_I8 || t == PW_I16;
}

static uint32_t null_ref_to(struct pw_walk *w, uint32_t idx)
{
	return type_ref(true, w->m->types[idx].canon);
}

static int push_new(struct pw_walk *w)
{
	uint32_t canon = w->m->types[w->in->index].canon;

	return walk_push(w, type_ref(false, canon));
}

static int need_mutable(struct pw_walk *w, uint32_t field)
{
	if (field & FIELD_MUT)
		return 0;
	return walk_fail(w, EINVAL, "%s on an immutable field or array",
			 pw_op_info(w->in->op)->name);
}

static int need_default(struct pw_walk *w, uint32_t field)
{
	if (type_defaultable(field & ~FIELD_MUT))
		return 0;
	return walk_fail(w, EINVAL, "%s: a field's type has no default value",
			 pw_op_info(w->in->op)->name);
}

/* get is for unpacked fields, get_s and get_u for packed ones. */
static int need_packed(struct pw_walk *w, uint32_t field, bool want)
{
	if (packed(field) == want)
		return 0;
	return walk_fail(w, EINVAL, "%s on a field that is%s packed",
			 pw_op_info(w->in->op)->name, want ? " not" : "");
}

/* --- structures --- */

static int type_struct_new(struct pw_walk *w)
{
	const struct mod_type *t;
	bool by_default = w->in->op == PW_OP_struct_new_default;

	t = type_of_kind(w, w->in->index, COMP_STRUCT);
	if (!t)
		return -EINVAL;
	for (uint32_t i = t->n_fields; i--;) {
		uint32_t field = t->fields[i];

		if ((by_default ? need_default(w, field)
				: walk_pop(w, type_unpacked(field), NULL)) < 0)
			return -EINVAL;
	}
	return push_new(w);
}

static int type_struct_field(struct pw_walk *w)
{
	const struct mod_type *t;
	uint32_t field, ref = null_ref_to(w, w->in->index);

	t = type_of_kind(w, w->in->index, COMP_STRUCT);
	if (!t)
		return -EINVAL;
	if (w->in->index2 >= t->n_fields)
		return walk_fail(w, EINVAL, "type %u has no field %u",
				 w->in->index, w->in->index2);
	field = t->fields[w->in->index2];
	if (w->in->op == PW_OP_struct_set)
		return need_mutable(w, field) ?:
		       walk_pop(w, type_unpacked(field), NULL) ?:
		       walk_pop(w, ref, NULL);
	return need_packed(w, field, w->in->op != PW_OP_struct_get) ?:
	       walk_pop(w, ref, NULL) ?: walk_push(w, type_unpacked(field));
}

/* --- arrays --- */

static int type_array_new(struct pw_walk *w, uint32_t field)
{
	if (w->in->op == PW_OP_array_new_default)
		return need_default(w, field) ?: walk_pop(w, PW_I32, NULL) ?:
		       push_new(w);
	return walk_pop(w, PW_I32, NULL) ?:
	       walk_pop(w, type_unpacked(field), NULL) ?: push_new(w);
}

static int type_array_new_fixed(struct pw_walk *w, uint32_t field)
{
	uint32_t n = w->in->index2;

	if (n > MAX_FIXED_ARRAY)
		return walk_fail(
			w, ENOTSUP,
			"array.new_fixed of %u elements, more than the %d that engines allow",
			n, MAX_FIXED_ARRAY);
	while (n--)
		if (walk_pop(w, type_unpacked(field), NULL) < 0)
			return -EINVAL;
	return push_new(w);
}

static int need_number(struct pw_walk *w, uint32_t field)
{
	if (!type_is_ref(field & ~FIELD_MUT))
		return 0;
	return walk_fail(w, EINVAL,
			 "%s on an array of references, not numbers or vectors",
			 pw_op_info(w->in->op)->name);
}

static int need_elem(struct pw_walk *w, uint32_t field)
{
	uint32_t type = w->m->elems[w->in->index2].type;

	if (type_matches(w->m, type, field & ~FIELD_MUT))
		return 0;
	return walk_fail(w, EINVAL,
			 "element segment %u does not fit the array's type",
			 w->in->index2);
}

static int pop_i32s(struct pw_walk *w, int n)
{
	while (n--)
		if (walk_pop(w, PW_I32, NULL) < 0)
			return -EINVAL;
	return 0;
}

static int type_array_access(struct pw_walk *w, uint32_t field)
{
	uint32_t ref = null_ref_to(w, w->in->index);
	uint32_t value = type_unpacked(field);

	switch (w->in->op) {
	case PW_OP_array_set:
		return need_mutable(w, field) ?: walk_pop(w, value, NULL) ?:
		       pop_i32s(w, 1) ?: walk_pop(w, ref, NULL);
	case PW_OP_array_fill:
		return need_mutable(w, field) ?: pop_i32s(w, 1) ?:
		       walk_pop(w, value, NULL) ?: pop_i32s(w, 1) ?:
		       walk_pop(w, ref, NULL);
	default: /* array.get, get_s, get_u */
		return need_packed(w, field, w->in->op != PW_OP_array_get) ?:
		       pop_i32s(w, 1) ?: walk_pop(w, ref, NULL) ?:
		       walk_push(w, value);
	}
}

static int type_array_copy(struct pw_walk *w, uint32_t field)
{
	const struct mod_type *src;
	uint32_t from;

	src = type_of_kind(w, w->in->index2, COMP_ARRAY);
	if (!src || need_mutable(w, field) < 0)
		return -EINVAL;
	from = src->fields[0] & ~FIELD_MUT;
	if (!type_matches(w->m, from, field & ~FIELD_MUT))
		return walk_fail(w, EINVAL,
				 "array type %u's elements do not fit type %u",
				 w->in->index2, w->in->index);
	return pop_i32s(w, 2) ?:
	       walk_pop(w, null_ref_to(w, w->in->index2), NULL) ?:
	       pop_i32s(w, 1) ?:
	       walk_pop(w, null_ref_to(w, w->in->index), NULL);
}

static int type_array(struct pw_walk *w)
{
	const struct mod_type *t;
	uint32_t field;

	t = type_of_kind(w, w->in->index, COMP_ARRAY);
	if (!t)
		return -EINVAL;
	field = t->fields[0];
	switch (w->in->op) {
	case PW_OP_array_new:
	case PW_OP_array_new_default:
		return type_array_new(w, field);
	case PW_OP_array_new_fixed:
		return type_array_new_fixed(w, field);
	case PW_OP_array_new_data:
		return need_number(w, field) ?: pop_i32s(w, 2) ?: push_new(w);
	case PW_OP_array_new_elem:
		return need_elem(w, field) ?: pop_i32s(w, 2) ?: push_new(w);
	case PW_OP_array_copy:
		return type_array_copy(w, field);
	case PW_OP_array_init_data:
		return need_mutable(w, field) ?: need_number(w, field) ?:
		       pop_i32s(w, 3) ?:
		       walk_pop(w, null_ref_to(w, w->in->index), NULL);
	case PW_OP_array_init_elem:
		return need_mutable(w, field) ?: need_elem(w, field) ?:
		       pop_i32s(w, 3) ?:
		       walk_pop(w, null_ref_to(w, w->in->index), NULL);
	default:
		return type_array_access(w, field);
	}
}

/* --- casts --- */

/* The top of the hierarchy that a heap type belongs to. */
static uint32_t top_of(const struct pw_module *m, uint32_t heap)
{
	static const uint32_t tops[] = { HEAP_FUNC, HEAP_EXTERN, HEAP_EXN };

	for (int i = 0; i < 3; i++)
		if (heap_matches(m, heap, tops[i]))
			return tops[i];
	return HEAP_ANY;
}

static int type_cast(struct pw_walk *w)
{
	enum pw_op op = w->in->op;
	uint32_t top = top_of(w->m, heap_of(w->type_to));

	if (walk_pop(w, type_ref(true, top), NULL) < 0)
		return -EINVAL;
	if (op == PW_OP_ref_test || op == PW_OP_ref_test_null)
		return walk_push(w, PW_I32);
	if (op == PW_OP_ref_cast_null)
		return walk_push(w, w->type_to | PW_NULLABLE);
	return walk_push(w, w->type_to);
}

static int type_convert(struct pw_walk *w, uint32_t from, uint32_t to)
{
	uint32_t ref;

	if (walk_pop(w, type_ref(true, from), &ref) < 0)
		return -EINVAL;
	return walk_push(w, type_ref(ref & PW_NULLABLE, to));
}

int walk_type_gc(struct pw_walk *w)
{
	switch (w->in->op) {
	case PW_OP_struct_new:
	case PW_OP_struct_new_default:
		return type_struct_new(w);
	case PW_OP_struct_get:
	case PW_OP_struct_get_s:
	case PW_OP_struct_get_u:
	case PW_OP_struct_set:
		return type_struct_field(w);
	case PW_OP_array_len:
		return walk_pop(w, type_ref(true, HEAP_ARRAY), NULL)
			       ?: walk_push(w, PW_I32);
	case PW_OP_ref_test:
	case PW_OP_ref_test_null:
	case PW_OP_ref_cast:
	case PW_OP_ref_cast_null:
		return type_cast(w);
	case PW_OP_any_convert_extern:
		return type_convert(w, HEAP_EXTERN, HEAP_ANY);
	case PW_OP_extern_convert_any:
		return type_convert(w, HEAP_ANY, HEAP_EXTERN);
	case PW_OP_ref_i31:
		return walk_pop(w, PW_I32, NULL)
			       ?: walk_push(w, type_ref(false, HEAP_I31));
	case PW_OP_i31_get_s:
	case PW_OP_i31_get_u:
		return walk_pop(w, type_ref(true, HEAP_I31), NULL)
			       ?: walk_push(w, PW_I32);
	default:
		return type_array(w);
	}
}
