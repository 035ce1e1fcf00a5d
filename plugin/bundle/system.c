// SPDX-License-Identifier: GPL-2.0-only
/* What machine and program a bundle was made with. */
#include <perfwasm/bundle.h>

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* The value of a "key\t: value" line of /proc/cpuinfo; the caller frees. */
static char *cpu_field(const char *text, const char *key)
{
	const char *at = strstr(text, key), *colon, *end;

	if (!at)
		return NULL;
	colon = strchr(at, ':');
	end = colon ? strchr(colon, '\n') : NULL;
	if (!end || colon + 2 > end)
		return NULL;
	return pw_strndup(colon + 2, (size_t)(end - colon - 2));
}

static void set_cpu(struct pw_bundle *b)
{
	static const char *const keys[] = { "model name", "cpu family",
					    "model\t", "stepping",
					    "microcode" };
	struct pw_file f = { 0 };
	char *text;

	if (pw_file_open(&f, "/proc/cpuinfo", NULL))
		return;
	text = pw_strndup((const char *)f.data, f.size);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char *value = cpu_field(text, keys[i]);
		size_t len = strcspn(keys[i], "\t");

		if (value)
			pw_bundle_set(b, "cpu", "%.*s: %s", (int)len, keys[i],
				      value);
		free(value);
	}
	free(text);
	pw_file_close(&f);
}

void pw_bundle_set_system(struct pw_bundle *b)
{
	struct utsname u;

	pw_bundle_set(b, "perf_wasm", "%s", PW_VERSION);
	if (!uname(&u))
		pw_bundle_set(b, "system", "%s %s %s", u.sysname, u.release,
			      u.machine);
	set_cpu(b);
}
