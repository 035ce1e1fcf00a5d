// SPDX-License-Identifier: GPL-2.0-only
/* The page's HTML: hostile names stay text wherever they stand, tables are
 * cut but their data are whole, tabs come in order, and what a page is made
 * from is asked for by name. */
#include "rendered.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#define HOSTILE                                                          \
	"<script>alert(1)</script>&\"'>]]><!--\xe2\x80\xae\xff{{style}}" \
	"<!--place:data-->"

static char prefix[] = "/tmp/test-render-html-XXXXXX";

/* A small page.html for pages to be made from. */
static int lay_template(void **state)
{
	static const char html[] =
		"<title><!--place:title--></title>\n"
		"<h1><!--place:heading--></h1>\n<!--place:body-->\n"
		"<data><!--place:data--></data>\n";
	char *path;

	(void)state;
	assert_non_null(mkdtemp(prefix));
	path = pw_asprintf("%s/share/perf-wasm", prefix);
	assert_int_equal(pw_mkdirs(path, NULL), 0);
	free(path);
	path = pw_asprintf("%s/share/perf-wasm/page.html", prefix);
	assert_int_equal(pw_file_write(path, html, strlen(html), NULL), 0);
	free(path);
	return setenv("PERF_WASM_PREFIX", prefix, 1);
}

static int remove_template(void **state)
{
	(void)state;
	return pw_remove_tree(prefix, NULL);
}

static char *as_page(struct pw_report *r)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(pw_render_html(r, to, NULL), 0);
	fclose(to);
	pw_report_free(r);
	return text;
}

static int digit_of(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	return c == '=' ? 0 : (int)(strchr(digits, c) - digits);
}

/* The data of a page, unpacked as a browser does. */
static char *data_of(const char *page)
{
	const char *s = strstr(page, "<data>") + 6;
	uint8_t *packed = pw_alloc(strlen(s));
	uLongf size = 1 << 22;
	char *json = pw_zalloc(size + 1);
	size_t n = 0;

	for (; *s != '<'; s += 4) {
		uint32_t v = 0;

		for (int i = 0; i < 4; i++)
			v = v << 6 | (uint32_t)digit_of(s[i]);
		packed[n++] = (uint8_t)(v >> 16);
		packed[n++] = (uint8_t)(v >> 8);
		packed[n++] = (uint8_t)v;
		n -= (size_t)((s[2] == '=') + (s[3] == '='));
	}
	assert_int_equal(uncompress((Bytef *)json, &size, packed, n), Z_OK);
	free(packed);
	return json;
}

static size_t count(const char *s, const char *what)
{
	size_t n = 0;

	for (; (s = strstr(s, what)); s += strlen(what))
		n++;
	return n;
}

static void a_report_is_sections_of_plain_html(void **state)
{
	struct pw_report *r = pw_report_new("hunt", "A is slow");
	struct pw_node *root = pw_report_root(r), *s;
	char *page;

	(void)state;
	pw_fact_str(root, "suspect", "Suspect", "wasmtime");
	pw_fact_int(root, "bytes", "Bytes", 2048, PW_UNIT_BYTES);
	pw_note(root, "note", "All is said.");
	s = pw_section(root, "cost", "Cost");
	pw_fact_bool(s, "sure", "Sure", true);
	page = as_page(r);
	*strstr(page, "<data>") = 0;
	expect(page, "<title>A is slow</title>\n"
		     "<h1>A is slow</h1>\n"
		     "<nav>\n"
		     "<a href=\"#overview-1\">Overview</a>\n"
		     "<a href=\"#cost-2\">Cost</a>\n"
		     "</nav>\n"
		     "<main>\n"
		     "<section class=\"tab\" id=\"overview-1\">\n"
		     "<h2>Overview</h2>\n"
		     "<dl>\n"
		     "<dt>Suspect</dt><dd>wasmtime</dd>\n"
		     "<dt>Bytes</dt><dd>2.00 KiB</dd>\n"
		     "</dl>\n"
		     "<p class=\"note\">All is said.</p></section>\n"
		     "<section class=\"tab\" id=\"cost-2\">\n"
		     "<h2>Cost</h2>\n"
		     "<dl>\n"
		     "<dt>Sure</dt><dd>yes</dd>\n"
		     "</dl>\n"
		     "</section>\n"
		     "</main>\n"
		     "\n");
}

/* Every string that a report can hold is hostile. */
static struct pw_report *hostile_report(void)
{
	const struct pw_line line = { HOSTILE, HOSTILE, HOSTILE, 0.5 };
	struct pw_report *r = pw_report_new(HOSTILE, HOSTILE);
	struct pw_node *root = pw_report_root(r), *s, *t, *l;

	pw_fact_str(root, HOSTILE, HOSTILE, HOSTILE);
	pw_note(root, "note", "%s", HOSTILE);
	s = pw_section(root, HOSTILE, HOSTILE);
	s = pw_section(s, HOSTILE, HOSTILE);
	t = pw_table(s, HOSTILE, HOSTILE);
	pw_column(t, HOSTILE, HOSTILE, PW_UNIT_NONE, 0);
	pw_row(t);
	pw_cell_str(t, 0, HOSTILE);
	pw_chart_role(pw_chart(t, PW_CHART_BARS, HOSTILE, 0), PW_ROLE_LABEL, 0);
	l = pw_listing(s, HOSTILE, HOSTILE, HOSTILE, HOSTILE);
	pw_listing_add(l, PW_MARK_SAME, &line, &line);
	pw_listing_add(l, PW_MARK_GAP, &line, NULL);
	pw_page_tab(pw_table(root, "tabbed", HOSTILE), HOSTILE "2");
	return r;
}

static void hostile_names_stay_text(void **state)
{
	char *page = as_page(hostile_report()), *data = data_of(page);

	(void)state;
	assert_null(strstr(page, "<script"));
	assert_null(strstr(page, "</script"));
	assert_null(strstr(page, "<!--"));
	assert_null(strstr(page, "\xe2\x80\xae"));
	assert_null(strstr(page, "]]>"));
	assert_int_equal(count(page, "<data>"), 1);
	assert_true(count(page, "&lt;script&gt;alert(1)&lt;/script&gt;&amp;"
				"&quot;") > 15);
	assert_non_null(strstr(page, "\\xe2\\x80\\xae\\xff"));
	/* base64 ends no element, so names are as they are there */
	assert_true(count(data, "<script>alert(1)</script>&") >= 3);
	assert_null(strstr(data, "\xe2\x80\xae"));
	free(page);
	free(data);
}

static void a_long_table_is_cut_and_its_data_are_whole(void **state)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *t = pw_table(pw_report_root(r), "t", "T");
	int name = pw_column(t, "name", "Name", PW_UNIT_NONE, 0);
	int n = pw_column(t, "n", "N", PW_UNIT_COUNT, PW_COL_RIGHT);
	char *page, *data;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		pw_row(t);
		pw_cell_str(t, name, i % 2 ? "odd" : "even");
		if (i % 3)
			pw_cell_int(t, n, i);
	}
	page = as_page(r);
	data = data_of(page);
	assert_int_equal(count(page, "<tr>"), 201);
	assert_non_null(strstr(page, "The first 200 of 3000 rows"));
	assert_int_equal(count(data, "\"odd\""), 1); /* each name once */
	assert_non_null(strstr(data, "[0,1,0,1,"));
	assert_non_null(strstr(data, "[null,1,2,null,4,"));
	assert_non_null(strstr(data, ",2998,2999]"));
	free(page);
	free(data);
}

static void a_chart_is_told_by_its_columns(void **state)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *t = pw_table(pw_report_root(r), "t", "T"), *c;
	int x = pw_column(t, "x", "X", PW_UNIT_NS, PW_COL_JSON_ONLY);
	char *page, *data;

	(void)state;
	pw_table_only_drawn(t);
	c = pw_chart(t, PW_CHART_LINES, "C", PW_CHART_TIME | PW_CHART_LOG_Y);
	pw_chart_role(c, PW_ROLE_X, x);
	for (int i = 0; i < 150; i++) {
		pw_row(t);
		pw_cell_num(t, x, 0.5 + i);
	}
	page = as_page(r);
	data = data_of(page);
	assert_int_equal(count(page, "<tr>"), 101);
	assert_int_equal(count(page, "<th"), 1); /* <thead>: X is hidden */
	assert_non_null(strstr(data, "\"drawn\": true"));
	assert_non_null(strstr(data, "\"kind\": \"lines\""));
	assert_non_null(strstr(data, "\"x\": 0"));
	assert_non_null(strstr(data, "\"time\": true"));
	assert_non_null(strstr(data, "\"log_y\": true"));
	assert_null(strstr(data, "log_x"));
	assert_non_null(strstr(data, "\"unit\": \"ns\""));
	free(page);
	free(data);
}

static void tabs_come_in_order_and_are_shared(void **state)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *root = pw_report_root(r);
	char *page, *nav;

	(void)state;
	pw_page_tab(pw_section(root, "a", "A"), "Code");
	pw_section_array(root, "none");
	pw_section_item(root, "find", "One");
	pw_page_tab(pw_table(root, "b", "B"), "Code");
	pw_note(root, "n", "first tab, though last");
	page = as_page(r);
	nav = strstr(page, "<nav>");
	*strstr(nav, "</nav>") = 0;
	assert_string_equal(nav, "<nav>\n"
				 "<a href=\"#overview-1\">Overview</a>\n"
				 "<a href=\"#code-2\">Code</a>\n"
				 "<a href=\"#one-3\">One</a>\n");
	free(page);
}

static void a_listing_tells_its_marks_without_colours(void **state)
{
	const struct pw_line a = { "0x1", "add", "@0x10 i32.add", 0.25 };
	const struct pw_line b = { "0x2", "sub", NULL, -1 };
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *l =
		pw_listing(pw_report_root(r), "l", "L", "one", "two");
	char *page;

	(void)state;
	pw_listing_add(l, PW_MARK_GUILTY, &a, NULL);
	pw_listing_add(l, PW_MARK_RIGHT, NULL, &b);
	page = as_page(r);
	assert_non_null(strstr(
		page,
		"<tr class=\"guilty\"><td>&gt;</td><td class=\"n h9\">25.0 %</td>"
		"<td class=\"a\">0x1</td><td class=\"c\">add</td>"
		"<td class=\"a\"></td><td class=\"c\"></td>"
		"<td class=\"w\">@0x10 i32.add</td></tr>"));
	assert_non_null(strstr(page, "<tr class=\"right\"><td>+</td>"));
	free(page);
}

static void of_another_template_it_says_what_to_do(void **state)
{
	char *path = pw_asprintf("%s/share/perf-wasm/page.html", prefix);
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_err err = { 0 };

	(void)state;
	assert_int_equal(pw_file_write(path, "<!--place:title-->", 18, NULL),
			 0);
	assert_int_equal(pw_render_html(r, stdout, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "of another release"));
	pw_report_free(r);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_is_sections_of_plain_html),
		cmocka_unit_test(hostile_names_stay_text),
		cmocka_unit_test(a_long_table_is_cut_and_its_data_are_whole),
		cmocka_unit_test(a_chart_is_told_by_its_columns),
		cmocka_unit_test(tabs_come_in_order_and_are_shared),
		cmocka_unit_test(a_listing_tells_its_marks_without_colours),
		/* the last: it spoils the template */
		cmocka_unit_test(of_another_template_it_says_what_to_do),
	};

	return cmocka_run_group_tests(tests, lay_template, remove_template);
}
