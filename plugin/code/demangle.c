// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of C++ and Rust symbols as their source has them. C++ and the older
 * Rust form are read by the C++ runtime library (Itanium C++ ABI, 3.3); a
 * Rust name ends in a hash, which tells a reader nothing.
 */
#include <stdlib.h>
#include <string.h>

#include <perfwasm/code.h>

/* <cxxabi.h> is for C++ only. */
char *__cxa_demangle(const char *name, char *buf, size_t *size, int *status);

/* "::h" and 16 hexadecimal digits at the end. */
static bool drop_rust_hash(char *s)
{
	size_t len = strlen(s);
	char *hash = len > 19 ? s + len - 19 : NULL;

	if (!hash || strncmp(hash, "::h", 3) ||
	    strspn(hash + 3, "0123456789abcdef") != 16)
		return false;
	*hash = 0;
	return true;
}

/* Characters that the older form of Rust writes as words between dollars. */
static const struct rust_escape {
	const char *word, *plain;
} rust_escapes[] = {
	{ "$LT$", "<" },  { "$GT$", ">" },   { "$u20$", " " }, { "$RF$", "&" },
	{ "$BP$", "*" },  { "$LP$", "(" },   { "$RP$", ")" },  { "$C$", "," },
	{ "$SP$", "@" },  { "$u7b$", "{" },  { "$u7d$", "}" }, { "$u5b$", "[" },
	{ "$u5d$", "]" }, { "$u27$", "'" },  { "$u7e$", "~" }, { "$u3b$", ";" },
	{ "$u2b$", "+" }, { "$u22$", "\"" }, { "..", "::" },
};

/* In place: no word is shorter than what it stands for. */
static void read_rust_escapes(char *s)
{
	char *to = s;
	size_t i, n = sizeof(rust_escapes) / sizeof(*rust_escapes);

	if (!strchr(s, '$'))
		return;
	while (*s) {
		/* a name can't begin with a dollar: one stands before it */
		if (*s == '_' && s[1] == '$')
			s++;
		for (i = 0; i < n; i++)
			if (!strncmp(s, rust_escapes[i].word,
				     strlen(rust_escapes[i].word)))
				break;
		if (i == n) {
			*to++ = *s++;
			continue;
		}
		memcpy(to, rust_escapes[i].plain,
		       strlen(rust_escapes[i].plain));
		to += strlen(rust_escapes[i].plain);
		s += strlen(rust_escapes[i].word);
	}
	*to = 0;
}

/* Where the parentheses that close at `end` open, or NULL. */
static char *opening(char *s, char *end)
{
	int depth = 0;

	for (; end >= s; end--) {
		depth += *end == ')';
		depth -= *end == '(';
		if (!depth)
			return *end == '(' ? end : NULL;
	}
	return NULL;
}

/* A function's parameters and what follows them: " const". */
static void drop_parameters(char *s)
{
	char *end = strrchr(s, ')'), *open = end ? opening(s, end) : NULL;

	if (!open || open == s || strchr(end, ':'))
		return;
	/* "operator()" is a name; its parameters would follow */
	if (open - s >= 8 && !strncmp(open - 8, "operator", 8))
		return;
	*open = 0;
}

/* Templates have their type in front. */
static void drop_type(char *s)
{
	char *p, *start = s;
	int depth = 0;

	if (strstr(s, "operator"))
		return;
	for (p = s; *p; p++) {
		depth += *p == '<' || *p == '(' || *p == '{' || *p == '[';
		depth -= *p == '>' || *p == ')' || *p == '}' || *p == ']';
		if (*p == ' ' && !depth)
			start = p + 1;
	}
	if (*start)
		memmove(s, start, strlen(start) + 1);
}

char *pw_demangle(const char *name)
{
	int status;
	char *s;

	if (strncmp(name, "_Z", 2))
		return NULL;
	s = __cxa_demangle(name, NULL, NULL, &status);
	if (!s)
		return NULL;
	if (drop_rust_hash(s)) {
		read_rust_escapes(s);
		return s;
	}
	drop_parameters(s);
	drop_type(s);
	return s;
}
