// SPDX-License-Identifier: GPL-2.0-only
/*
 * Formulas by muParser. It asks for a variable where it meets a new name, and
 * keeps the address: so values lie in cells that do not move.
 */
#include <perfwasm/stats.h>

#include <errno.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_MAX 4096
#define NAMES_MAX  64

struct pw_formula {
	muParserHandle_t parser;
	char *names[NAMES_MAX];
	double cells[NAMES_MAX + 1]; /* the last: for names beyond */
	uint32_t n;
	bool is_too_many;
};

static double *new_name(const char *name, void *ctx)
{
	struct pw_formula *f = ctx;

	if (f->n == NAMES_MAX) {
		f->is_too_many = true;
		return &f->cells[NAMES_MAX];
	}
	f->names[f->n] = pw_strdup(name);
	f->cells[f->n] = 1; /* for the first try */
	return &f->cells[f->n++];
}

/* muParser takes "a = 4" and "a, b", too; a formula changes nothing and has
 * one value. */
static bool is_one_value(struct pw_formula *f, const char *text)
{
	int n = 0;

	for (const char *at = text; (at = strchr(at, '=')); at++) {
		if (at[1] == '=')
			at++;
		else if (at == text || !strchr("<>!", at[-1]))
			return false;
	}
	mupEvalMulti(f->parser, &n);
	return n == 1;
}

static int parse(struct pw_formula *f, const char *text, struct pw_err *err)
{
	if (strlen(text) > LENGTH_MAX)
		return pw_err_set(err, EINVAL,
				  "the formula is longer than %d bytes",
				  LENGTH_MAX);
	mupDefineNameChars(
		f->parser,
		"0123456789_.:abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	mupSetVarFactory(f->parser, new_name, f);
	mupSetExpr(f->parser, text);
	mupEval(f->parser);
	if (mupError(f->parser))
		return pw_err_set(err, EINVAL,
				  "'%s' is not a formula: %s (at byte %d)",
				  text, mupGetErrorMsg(f->parser),
				  mupGetErrorPos(f->parser));
	if (!is_one_value(f, text))
		return pw_err_set(
			err, EINVAL,
			"'%s' is not a formula: expected one value, without '=' and outer ','",
			text);
	if (f->is_too_many)
		return pw_err_set(err, EINVAL,
				  "'%.60s...' has more than %d names", text,
				  NAMES_MAX);
	return 0;
}

struct pw_formula *pw_formula_new(const char *text, struct pw_err *err)
{
	struct pw_formula *f = pw_zalloc(sizeof(*f));

	f->parser = mupCreate(muBASETYPE_FLOAT);
	if (!parse(f, text, err))
		return f;
	pw_formula_free(f);
	return NULL;
}

void pw_formula_free(struct pw_formula *f)
{
	if (!f)
		return;
	mupRelease(f->parser);
	for (uint32_t i = 0; i < f->n; i++)
		free(f->names[i]);
	free(f);
}

uint32_t pw_formula_n_names(const struct pw_formula *f)
{
	return f->n;
}

const char *pw_formula_name(const struct pw_formula *f, uint32_t i)
{
	return f->names[i];
}

double pw_formula_eval(struct pw_formula *f, const double *values)
{
	double result;

	for (uint32_t i = 0; i < f->n; i++) {
		if (isnan(values[i]))
			return NAN;
		f->cells[i] = values[i];
	}
	result = mupEval(f->parser);
	return mupError(f->parser) || !isfinite(result) ? NAN : result;
}
