// SPDX-License-Identifier: GPL-2.0-only
/*
 * The forms by name, and the life of an export. How a form looks, to-*.c
 * know.
 */
#include "export-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct form {
	const char *name, *help;
	bool has_time_line;
	void (*write)(const struct writing *w);
};

static const struct form forms[PW_N_EXPORTS] = {
#define PW_EXPORT(id, name, time_line, help) \
	{ #name, help, time_line, write_##name },
#include <perfwasm/exports.def>
#undef PW_EXPORT
};

struct pw_exporter {
	enum pw_export_form form;
	struct time_line tl;
};

const char *pw_export_form_name(enum pw_export_form f)
{
	return f < PW_N_EXPORTS ? forms[f].name : NULL;
}

const char *pw_export_form_help(enum pw_export_form f)
{
	return f < PW_N_EXPORTS ? forms[f].help : NULL;
}

struct pw_exporter *pw_exporter_new(enum pw_export_form f,
				    struct pw_profile_opts *o)
{
	struct pw_exporter *x = pw_zalloc(sizeof(*x));

	x->form = f;
	x->tl.first_ns = PW_NO_TIME;
	if (forms[f].has_time_line) {
		o->on_sample = time_line_take;
		o->ctx = &x->tl;
	}
	return x;
}

void pw_exporter_free(struct pw_exporter *x)
{
	if (!x)
		return;
	time_line_release(&x->tl);
	free(x);
}

int pw_exporter_write(struct pw_exporter *x, const struct pw_profile *p,
		      const struct pw_exporter_opts *o, FILE *to,
		      struct pw_err *err)
{
	static const struct pw_exporter_opts none = { .event = UINT32_MAX };
	struct writing w = { p, o ?: &none, &x->tl, NONE, to };

	w.event = w.o->event;
	if (w.event == UINT32_MAX)
		w.event = pw_profile_main_event(p);
	if (w.event == UINT32_MAX)
		w.event = pw_profile_off_cpu(p);
	if (w.event == UINT32_MAX)
		return pw_err_set(err, ENODATA,
				  "the capture has no sample to export");
	time_line_sort(&x->tl);
	forms[x->form].write(&w);
	if (fflush(to) || ferror(to))
		return pw_err_set(err, EIO, "cannot write: %s",
				  strerror(errno ?: EIO));
	return 0;
}
