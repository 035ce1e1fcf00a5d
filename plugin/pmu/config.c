// SPDX-License-Identifier: GPL-2.0-only
/* Reads the user's file, whichever of its forms it has. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool config_event_name(const char *name)
{
	if (!*name || isdigit((unsigned char)*name) ||
	    formula_constant(name, strlen(name)))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

int plan_read(struct plan *p, const char *path, struct pw_err *err)
{
	struct pw_file file = { 0 };
	const char *text;
	char *copy;
	int ret = pw_file_open(&file, path, err);

	if (ret)
		return ret;
	copy = pw_strndup((const char *)file.data, file.size);
	pw_file_close(&file);
	text = copy + strspn(copy, " \t\r\n");
	ret = *text == '{' ? config_json(p, copy, err)
			   : config_ini(p, copy, err);
	if (ret)
		pw_err_prefix(err, "%s", path);
	free(copy);
	return ret;
}
