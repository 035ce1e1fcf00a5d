// SPDX-License-Identifier: GPL-2.0-only
/* What all programs of commands begin with. */
#include "cmd.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <sys/prctl.h>

void cmd_begin(void)
{
	/* Names of functions are UTF-8 whatever the locale says; numbers are
	 * always written in the C locale's way. */
	if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
	/* as who started it knows it, in ps and in captures */
	prctl(PR_SET_NAME, "perf-wasm");
}
