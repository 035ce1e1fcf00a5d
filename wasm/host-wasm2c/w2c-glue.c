// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C between wasm2c's output and the host, as text. wasm2c named what it
 * makes in two ways: Z_mZ_x up to 1.0.32, w2c_m_x later. Knows nothing of
 * compilers.
 */
#include "w2c.h"

#include <stdlib.h>
#include <string.h>

static bool is_old(const char *header)
{
	return strstr(header, "Z_m_instantiate") != NULL;
}

/* --- types ------------------------------------------------------------------- */

static const char *c_type(uint32_t type)
{
	switch (type) {
	case PW_I32:
		return "u32";
	case PW_I64:
		return "u64";
	case PW_F32:
		return "f32";
	case PW_F64:
		return "f64";
	default:
		return NULL;
	}
}

bool w2c_can_pass(const struct pw_functype *t)
{
	if (!t || t->n_results > 1 || t->n_params > 64)
		return false;
	for (uint32_t i = 0; i < t->n_params; i++)
		if (!c_type(t->params[i]))
			return false;
	return !t->n_results || c_type(t->results[0]);
}

static const struct pw_functype *type_of(const struct pw_module *m,
					 uint32_t func_idx)
{
	return pw_module_functype(m, pw_module_func(m, func_idx)->type_idx);
}

/* --- parts -------------------------------------------------------------------- */

static const char head[] =
	"#include <string.h>\n"
	"#include \"m.h\"\n"
	"#include \"wasm-rt-impl.h\"\n"
	"#define SEEN __attribute__((visibility(\"default\")))\n"
	"typedef void pw_import_fn(unsigned, const uint64_t *, uint64_t *);\n"
	"static pw_import_fn *import;\n"
	"static uint64_t result;\n"
	"static uint64_t u64_bits(uint64_t x) { return x; }\n"
	"static uint64_t u32_bits(uint32_t x) { return x; }\n"
	"static uint64_t f32_bits(float x)\n"
	"{ uint32_t b; memcpy(&b, &x, 4); return b; }\n"
	"static uint64_t f64_bits(double x)\n"
	"{ uint64_t b; memcpy(&b, &x, 8); return b; }\n";

static const char old_names[] = "#define INSTANCE Z_m_instance_t\n"
				"#define HOST struct Z_h_instance_t\n"
				"#define IMPORT(n) Z_hZ_##n\n"
				"#define EXPORT(n) Z_mZ_##n\n"
				"#define INIT() Z_m_init_module()\n"
				"#define INSTANTIATE Z_m_instantiate\n";

static const char new_names[] = "#define INSTANCE w2c_m\n"
				"#define HOST struct w2c_h\n"
				"#define IMPORT(n) w2c_h_##n\n"
				"#define EXPORT(n) w2c_m_##n\n"
				"#define INIT() (void)0\n"
				"#define INSTANTIATE wasm2c_m_instantiate\n";

/* An imported function packs its arguments and asks the host. */
static void add_import(struct pw_buf *out, uint32_t i,
		       const struct pw_functype *t)
{
	const char *result = t->n_results ? c_type(t->results[0]) : "void";

	pw_buf_printf(out, "%s IMPORT(i%u)(HOST *h", result, i);
	for (uint32_t p = 0; p < t->n_params; p++)
		pw_buf_printf(out, ", %s a%u", c_type(t->params[p]), p);
	pw_buf_printf(out, ")\n{\n\tuint64_t a[] = { 0");
	for (uint32_t p = 0; p < t->n_params; p++)
		pw_buf_printf(out, ", %s_bits(a%u)", c_type(t->params[p]), p);
	pw_buf_printf(out, " }, r = 0;\n\t(void)h;\n\timport(%u, a + 1, &r);\n",
		      i);
	if (t->n_results)
		pw_buf_printf(
			out,
			"\t{ %s x; memcpy(&x, &r, sizeof(x)); return x; }\n",
			result);
	pw_buf_printf(out, "}\n");
}

static void add_imports(const struct pw_module *m, struct pw_buf *out)
{
	for (uint32_t i = 0; i < pw_module_n_imports(m); i++) {
		const struct pw_import *im = pw_module_import(m, i);
		const struct pw_functype *t;

		if (im->kind != PW_EXT_FUNC)
			continue;
		t = type_of(m, im->idx);
		if (w2c_can_pass(t))
			add_import(out, i, t);
	}
}

static void add_start(const struct pw_module *m, struct pw_buf *out)
{
	pw_buf_printf(
		out,
		"static INSTANCE instance;\n"
		"SEEN void pw_set_host(pw_import_fn *fn) { import = fn; }\n"
		"SEEN const char *pw_trap_text(int t)\n"
		"{ return wasm_rt_strerror((wasm_rt_trap_t)t); }\n"
		"SEEN int pw_start(void)\n{\n\tint trap;\n"
		"\twasm_rt_init();\n\ttrap = wasm_rt_impl_try();\n"
		"\tif (trap)\n\t\treturn trap;\n"
		"\tINIT();\n\tINSTANTIATE(&instance%s);\n\treturn 0;\n}\n",
		pw_module_n_imports(m) ? ", NULL" : "");
}

static void add_call(struct pw_buf *out, uint32_t func_idx, uint32_t k,
		     const struct pw_functype *t)
{
	pw_buf_printf(out, "\tcase %u: ", k);
	if (t->n_results)
		pw_buf_printf(out, "result = %s_bits(", c_type(t->results[0]));
	pw_buf_printf(out, "EXPORT(f%ue%u)(&instance)%s; break;\n", func_idx, k,
		      t->n_results ? ")" : "");
}

static void add_calls(const struct pw_module *m, struct pw_buf *out)
{
	pw_buf_printf(out, "SEEN int pw_call(unsigned k)\n{\n"
			   "\tint trap = wasm_rt_impl_try();\n"
			   "\tif (trap)\n\t\treturn trap;\n\tswitch (k) {\n");
	for (uint32_t k = 0; k < pw_module_n_exports(m); k++) {
		const struct pw_export *e = pw_module_export(m, k);
		const struct pw_functype *t;

		if (e->kind != PW_EXT_FUNC)
			continue;
		t = type_of(m, e->idx);
		if (w2c_can_pass(t) && !t->n_params)
			add_call(out, e->idx, k, t);
	}
	pw_buf_printf(out,
		      "\t}\n\treturn 0;\n}\n"
		      "SEEN uint64_t pw_result(void) { return result; }\n");
}

static void add_memories(const struct pw_module *m, struct pw_buf *out)
{
	pw_buf_printf(out,
		      "SEEN uint8_t *pw_memory(unsigned k, uint64_t *size)\n{\n"
		      "\twasm_rt_memory_t *m;\n\tswitch (k) {\n");
	for (uint32_t k = 0; k < pw_module_n_exports(m); k++)
		if (pw_module_export(m, k)->kind == PW_EXT_MEMORY)
			pw_buf_printf(
				out,
				"\tcase %u: m = EXPORT(x%u)(&instance); break;\n",
				k, k);
	pw_buf_printf(out, "\tdefault: *size = 0; return NULL;\n\t}\n"
			   "\t*size = m->size;\n\treturn m->data;\n}\n");
}

static void add_globals(const struct pw_module *m, struct pw_buf *out)
{
	pw_buf_printf(
		out,
		"SEEN uint64_t pw_global(unsigned k)\n{\n\tswitch (k) {\n");
	for (uint32_t k = 0; k < pw_module_n_exports(m); k++) {
		const struct pw_export *e = pw_module_export(m, k);
		const char *type;

		if (e->kind != PW_EXT_GLOBAL)
			continue;
		type = c_type(pw_module_global(m, e->idx)->type);
		if (type)
			pw_buf_printf(
				out,
				"\tcase %u: return %s_bits(*EXPORT(x%u)(&instance));\n",
				k, type, k);
	}
	pw_buf_printf(out, "\t}\n\treturn 0;\n}\n");
}

void w2c_glue(const struct pw_module *m, const char *header, struct pw_buf *out)
{
	pw_buf_printf(out, "%s%s", head,
		      is_old(header) ? old_names : new_names);
	add_imports(m, out);
	add_start(m, out);
	add_calls(m, out);
	add_memories(m, out);
	add_globals(m, out);
}

/* --- symbols -------------------------------------------------------------------- */

/* An exported function is a static one and a small one that calls it, which
 * the compiler mostly makes one of. Its symbol is w2c_fN.part.eK: what gcc
 * calls a part of a function, so that readers of symbols understand it. */
void w2c_renames(const struct pw_module *m, const char *header,
		 struct pw_buf *out)
{
	const char *prefix = is_old(header) ? "Z_mZ_" : "w2c_m_";
	uint32_t n = pw_module_n(m, PW_EXT_FUNC);

	if (!is_old(header))
		for (uint32_t i = pw_module_n_imported(m, PW_EXT_FUNC); i < n;
		     i++)
			pw_buf_printf(out, "#define w2c_m_f%u w2c_f%u\n", i, i);
	pw_buf_printf(out, "#include \"m.h\"\n");
	for (uint32_t k = 0; k < pw_module_n_exports(m); k++) {
		const struct pw_export *e = pw_module_export(m, k);
		char name[64];

		if (e->kind != PW_EXT_FUNC)
			continue;
		snprintf(name, sizeof(name), "%sf%ue%u", prefix, e->idx, k);
		pw_buf_printf(
			out,
			"extern __typeof__(%s) %s __asm__(\"w2c_f%u.part.e%u\");\n",
			name, name, e->idx, k);
	}
}

/* Whether a line is "static TYPE w2c_fN(...);" or "static TYPE w2c_m_fN(...);"
 * and where the name begins. */
static const char *prototype_name(const char *line, const char *end)
{
	const char *s;

	if (strncmp(line, "static ", 7) || end - line < 10 || end[-1] != ';')
		return NULL;
	for (s = line; s < end && *s != '('; s++)
		if (!strncmp(s, " w2c_f", 6) || !strncmp(s, " w2c_m_f", 8))
			return s + 1;
	return NULL;
}

void w2c_forbid_inlining(const char *c, struct pw_buf *out)
{
	while (*c) {
		const char *end = c + strcspn(c, "\n");
		const char *name = prototype_name(c, end);

		if (name) {
			pw_buf_add(out, c, (size_t)(name - c));
			pw_buf_printf(out, "NOINLINE ");
			pw_buf_add(out, name, (size_t)(end - name));
		} else {
			pw_buf_add(out, c, (size_t)(end - c));
		}
		pw_buf_add_u8(out, '\n');
		c = *end ? end + 1 : end;
	}
}
