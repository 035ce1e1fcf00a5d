// SPDX-License-Identifier: GPL-2.0-only
/*
 * A long option that there is not, and the one that was meant. argp has no
 * place for it: getopt prints, and argp ends, before a parser is asked. So the
 * words are read once before by getopt, with the options of the argps.
 */
#include "cmd.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct known {
	struct option *longs; /* ends with zeros, as getopt wants it */
	const char **names;
	size_t n;
	char *shorts; /* "+" or "", then "oqv:" */
};

static void add_long(struct known *k, const char *name, int has_arg)
{
	k->longs = pw_realloc(k->longs, (k->n + 2) * sizeof(*k->longs));
	k->names = pw_realloc(k->names, (k->n + 1) * sizeof(*k->names));
	k->longs[k->n] = (struct option){ .name = name, .has_arg = has_arg };
	k->names[k->n++] = name;
	k->longs[k->n] = (struct option){ 0 };
}

static void add_short(struct known *k, char c, int has_arg)
{
	char *longer = pw_asprintf("%s%c%.*s", k->shorts, c, has_arg, "::");

	free(k->shorts);
	k->shorts = longer;
}

static void add_all(struct known *k, const struct argp *argp)
{
	const struct argp_option *o = argp->options, *real = o;
	const struct argp_child *child = argp->children;

	for (; o && (o->name || o->key || o->doc || o->group); o++) {
		int has_arg;

		if (!(o->flags & OPTION_ALIAS))
			real = o;
		if ((real->flags & OPTION_DOC) || (!o->name && !o->key))
			continue;
		has_arg = !real->arg ? no_argument
			  : real->flags & OPTION_ARG_OPTIONAL
				  ? optional_argument
				  : required_argument;
		if (o->name)
			add_long(k, o->name, has_arg);
		if (o->key > 0 && o->key < 0x80 && isgraph(o->key))
			add_short(k, (char)o->key, has_arg);
	}
	for (; child && child->argp; child++)
		add_all(k, child->argp);
}

/* "--fromat=json" of what getopt stopped at; NULL: it is no long option, or
 * the beginning of several. */
static char *unknown(const struct known *k, const char *word)
{
	char *name;
	size_t n;

	if (strncmp(word, "--", 2))
		return NULL;
	n = strcspn(word + 2, "=");
	for (size_t i = 0; i < k->n; i++)
		if (!strncmp(k->names[i], word + 2, n))
			return NULL;
	name = pw_alloc(n + 1);
	memcpy(name, word + 2, n);
	name[n] = '\0';
	return name;
}

static char *first_unknown(const struct known *k, int argc, char **argv)
{
	char **words = pw_alloc(((size_t)argc + 1) * sizeof(*words));
	char *name = NULL;
	int c;

	memcpy(words, argv, ((size_t)argc + 1) * sizeof(*words));
	opterr = 0;
	optind = 0; /* from the start, whoever read words before */
	do
		c = getopt_long(argc, words, k->shorts, k->longs, NULL);
	while (c != -1 && c != '?');
	if (c == '?' && !optopt)
		name = unknown(k, words[optind - 1]);
	free(words);
	return name;
}

void cmd_options_known(const struct argp *argp, int argc, char **argv,
		       bool in_order)
{
	struct known k = { .shorts = pw_strdup(in_order ? "+" : "") };
	const char *near = NULL;
	char *name;

	add_all(&k, argp);
	name = first_unknown(&k, argc, argv);
	if (name)
		near = pw_nearest(name, k.names, k.n);
	if (near) {
		cmd_error("%s has no option '--%s'; did you mean '--%s'?",
			  argv[0], name, near);
		exit(CMD_USAGE);
	}
	free(name);
	free(k.shorts);
	free(k.names);
	free(k.longs);
}
