// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is a series. A refused one has a reason; of what is given all can
 * be read.
 */
#include <stdlib.h>
#include <string.h>

#include <perfwasm/series.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned char sink;

static void use(const struct pw_series *s, const struct pw_series_item *it)
{
	uint64_t sum = it->key;

	if (it->kind == PW_SERIES_FACT || it->kind == PW_SERIES_TEXT)
		sum += strlen(it->name) + strlen(it->text);
	if (it->kind == PW_SERIES_ROW || it->kind == PW_SERIES_DROP)
		for (uint32_t i = 0; i < pw_series_table(s, it->table)->n; i++)
			sum += it->values[i];
	sink = (unsigned char)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_err err = { .msg = "" };
	struct pw_series *s = pw_series_open_bytes(data, size, &err);
	struct pw_series_item it;
	int ret = -1;

	while (s && (ret = pw_series_next(s, &it, &err)) > 0)
		use(s, &it);
	if (ret < 0 && (err.code <= 0 || !err.msg[0]))
		abort();
	pw_series_close(s);
	return 0;
}
