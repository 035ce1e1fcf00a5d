// SPDX-License-Identifier: GPL-2.0-only
/*
 * Renders a report as one HTML page: puts its title, its body and its data
 * where page.html, which the build makes from plugin/page, has a place for
 * them. Knows nothing of what scripts and style that file holds.
 */
#include "render-html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATE "share/perf-wasm/page.html"

/* The places of page.html, in order. */
enum place { PLACE_TITLE, PLACE_HEADING, PLACE_BODY, PLACE_DATA, N_PLACES };

static const char *const places[N_PLACES] = {
	[PLACE_TITLE] = "<!--place:title-->",
	[PLACE_HEADING] = "<!--place:heading-->",
	[PLACE_BODY] = "<!--place:body-->",
	[PLACE_DATA] = "<!--place:data-->",
};

static int open_template(struct pw_file *f, struct pw_err *err)
{
	char *path = pw_own_path(TEMPLATE);
	int ret;

	if (!path)
		return pw_err_set(
			err, ENOENT,
			"%s, which pages are made from, is not there: type make, or make install, again",
			TEMPLATE);
	ret = pw_file_open(f, path, err);
	free(path);
	return ret;
}

/* A place's content; h has the body and the data. */
static void fill(struct pw_buf *out, enum place place, const struct html *h,
		 const char *title, const char *json, size_t size)
{
	switch (place) {
	case PLACE_TITLE:
	case PLACE_HEADING:
		html_text(out, title);
		break;
	case PLACE_BODY:
		pw_buf_add(out, h->out.data, h->out.len);
		break;
	default:
		packed_add(out, json, size);
		break;
	}
}

static int put_together(const struct pw_file *f, const struct html *h,
			const char *title, const char *json, size_t size,
			struct pw_buf *out, struct pw_err *err)
{
	const char *at = (const char *)f->data, *end = at + f->size;

	for (int i = 0; i < N_PLACES; i++) {
		const char *place = memmem(at, (size_t)(end - at), places[i],
					   strlen(places[i]));

		if (!place)
			return pw_err_set(
				err, EINVAL,
				"%s has no %s: it is of another release; type make, or make install, again",
				TEMPLATE, places[i]);
		pw_buf_add(out, at, (size_t)(place - at));
		fill(out, i, h, title, json, size);
		at = place + strlen(places[i]);
	}
	pw_buf_add(out, at, (size_t)(end - at));
	return 0;
}

static int write_page(const struct pw_report *r, const struct pw_file *f,
		      FILE *to, struct pw_err *err)
{
	char *json = NULL, *title = pw_asprintf("perf wasm %s", r->root.key);
	size_t size = 0;
	struct html h = { .data = { .first = true } };
	struct pw_buf page = { 0 };
	int ret;

	h.data.to = open_memstream(&json, &size);
	fputc('{', h.data.to);
	html_body(&h, &r->root);
	fputc('}', h.data.to);
	fclose(h.data.to);
	ret = put_together(f, &h, r->root.title ? r->root.title : title, json,
			   size, &page, err);
	errno = 0;
	if (!ret && (fwrite(page.data, 1, page.len, to) != page.len ||
		     fflush(to) || ferror(to)))
		ret = pw_err_set(err, errno ? errno : EIO,
				 "cannot write the page: %s", strerror(errno));
	pw_buf_release(&page);
	pw_buf_release(&h.out);
	free(json);
	free(title);
	return ret;
}

int pw_render_html(const struct pw_report *r, FILE *to, struct pw_err *err)
{
	struct pw_file f = { 0 };
	int ret = open_template(&f, err);

	if (!ret)
		ret = write_page(r, &f, to, err);
	pw_file_close(&f);
	return ret;
}
