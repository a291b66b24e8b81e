/* SPDX-License-Identifier: MIT */
/*
 * The other end of GDB's remote protocol, on standard input and output, for what a real server does
 * not do:
 *
 *	remote_stub all REPORT           a machine without an operating system: all memory reads, as zeros
 *	remote_stub relay REPORT SERVER ARGUMENTS...
 *	                                 between GDB and a server; `maint packet qCairn.close:K` closes
 *	                                 the connection in place of the K-th answer from then on, or
 *                                 never when K is 0
 *
 *	remote_stub lie REPORT SERVER ARGUMENTS...
 *	                                 between GDB and a server; from `maint packet qCairn.lie:SEED` on, one of
 *                                 four answers about memory is wrong: other bytes, too few, too many,
 *                                 an error, late; asked again it is another one. The same for a SEED; 0 ends it
 *
 * A line is appended to REPORT: how many answers were wrong; the reads
 * of memory that were asked for; or the packets since the order to close,
 * and whether it was carried out (closed), another order came (passed), or neither (open).
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PACKET_MAX = 16384,
	SIZE_MAX_HEX = 0x1000, /* bytes that one read may ask for, as the stub tells GDB */
	REGISTERS_SIZE = 164,  /* rax to r15, rip, eflags and six segments of amd64 */
	RSP = 7,
	RIP = 16,
};

#define CODE 0x7f0000123456u
#define STACK 0x7f0000800000u

static FILE *report;

static void fail(const char *what)
{
	fprintf(stderr, "remote_stub: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void write_all(int to, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t done = write(to, bytes, size);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return; /* GDB has gone; the next read ends */
		bytes += done;
		size -= (size_t)done;
	}
}

static void send_packet(const char *text)
{
	static char packet[PACKET_MAX];
	unsigned sum = 0;

	for (const char *at = text; *at; at++)
		sum += (unsigned char)*at;
	int size = snprintf(packet, sizeof(packet), "$%s#%02x", text, sum & 0xff);
	write_all(STDOUT_FILENO, packet, (size_t)size);
}

/* What GDB sends, taken apart: "$", a body, "#", two digits; anything else stands between packets. */
struct packets {
	char body[PACKET_MAX];
	size_t size;
	enum { OUTSIDE, INSIDE, FIRST_DIGIT, LAST_DIGIT } state;
};

/* Has the byte completed a packet?  Then p->body is its text. */
static bool take_byte(struct packets *p, char byte)
{
	switch (p->state) {
	case OUTSIDE:
		p->size = 0;
		p->state = byte == '$' ? INSIDE : OUTSIDE;
		return false;
	case INSIDE:
		if (byte == '#')
			p->state = FIRST_DIGIT;
		else if (p->size < sizeof(p->body) - 1)
			p->body[p->size++] = byte;
		return false;
	case FIRST_DIGIT:
		p->state = LAST_DIGIT;
		return false;
	case LAST_DIGIT:
		break;
	}
	p->state = OUTSIDE;
	p->body[p->size] = 0;
	return true;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* 1. A machine whose memory all reads */

static unsigned long memory_reads;

static void put_register(char *hex, unsigned number, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		snprintf(hex + 16 * number + 2 * i, 3, "%02x", (unsigned)(value >> 8 * i & 0xff));
	hex[16 * number + 16] = '0';
}

static void send_registers(void)
{
	char hex[2 * REGISTERS_SIZE + 1];

	memset(hex, '0', sizeof(hex) - 1);
	hex[sizeof(hex) - 1] = 0;
	put_register(hex, RSP, STACK);
	put_register(hex, RIP, CODE);
	send_packet(hex);
}

static void send_memory(const char *body)
{
	static char zeros[2 * SIZE_MAX_HEX + 1];
	const char *comma = strchr(body, ',');
	unsigned long size = comma ? strtoul(comma + 1, NULL, 16) : 0;

	memory_reads++;
	if (size == 0 || size > SIZE_MAX_HEX) {
		send_packet("E01");
		return;
	}
	memset(zeros, '0', 2 * size);
	zeros[2 * size] = 0;
	send_packet(zeros);
}

static void answer_packet(const char *body)
{
	if (body[0] == 'm')
		send_memory(body);
	else if (begins(body, "qSupported"))
		send_packet("PacketSize=4000");
	else if (body[0] == '?' || body[0] == 's' || body[0] == 'c')
		send_packet("T05thread:1;");
	else if (body[0] == 'g')
		send_registers();
	else if (begins(body, "qfThreadInfo"))
		send_packet("m1");
	else if (begins(body, "qsThreadInfo"))
		send_packet("l");
	else if (begins(body, "qC"))
		send_packet("QC1");
	else if (begins(body, "qAttached"))
		send_packet("1");
	else if (body[0] == 'H' || body[0] == 'D' || body[0] == 'k' || body[0] == 'T')
		send_packet("OK");
	else
		send_packet("");
}

static int serve_all_memory(void)
{
	static struct packets packets;
	char byte;

	while (read(STDIN_FILENO, &byte, 1) == 1) {
		if (!take_byte(&packets, byte))
			continue;
		write_all(STDOUT_FILENO, "+", 1);
		answer_packet(packets.body);
	}
	fprintf(report, "%lu reads of memory\n", memory_reads);
	return 0;
}

/* 2. Between GDB and a server */

struct relay {
	struct packets packets;
	int to_server, from_server;
	bool ordered;
	unsigned long close_at, counted;
	bool liar;
	uint64_t lie_seed; /* 0: the truth */
	unsigned long lies;
	struct packets answers;
	uint8_t asked[1 << 12]; /* how often, by the hash of the question */
};

static void send_body(int to, const char *body, size_t size)
{
	char digits[8];
	unsigned sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += (unsigned char)body[i];
	write_all(to, "$", 1);
	write_all(to, body, size);
	write_all(to, digits, (size_t)snprintf(digits, sizeof(digits), "#%02x", sum & 0xff));
}

static uint64_t mix_bits(uint64_t bits)
{
	bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
	return bits ^ bits >> 31;
}

/* By the seed, the question and how often it came: not by what else was asked before. */
static uint64_t draw_lie(struct relay *r)
{
	uint64_t hash = r->lie_seed;

	for (size_t i = 0; i < r->packets.size; i++)
		hash = mix_bits(hash + (unsigned char)r->packets.body[i]);
	uint8_t *asked = &r->asked[hash % sizeof(r->asked)];
	return mix_bits(hash + (*asked)++);
}

/* A digit of the hexadecimal answer, or eight of them, are others. */
static void change_digits(struct packets *p, uint64_t lie)
{
	static const char digits[] = "0123456789abcdef";
	size_t width = lie & 1 ? 1 : 8, at = (size_t)(lie >> 8) % (p->size ? p->size : 1);

	for (size_t i = 0; i < width && at + i < p->size; i++)
		p->body[at + i] = digits[mix_bits(lie + i) & 15];
}

static void change_size(struct packets *p, uint64_t lie)
{
	size_t more = (size_t)(lie >> 8) % 64 * 2;

	if (lie & 1) {
		p->size -= more < p->size ? more : p->size;
	} else if (p->size + more < sizeof(p->body)) {
		memset(p->body + p->size, 'e', more);
		p->size += more;
	}
}

/* Memory comes as digits, of which equal ones in a row are one, "*" and how many more. */
static void expand_runs(struct packets *p)
{
	static char body[PACKET_MAX];
	size_t size = 0;

	for (size_t i = 0; i < p->size; i++) {
		size_t more = 1;
		char digit = p->body[i];
		if (digit == '*' && size > 0 && i + 1 < p->size) {
			digit = body[size - 1];
			more = (size_t)(p->body[++i] - 29);
		}
		for (; more > 0 && size < sizeof(body) - 1; more--)
			body[size++] = digit;
	}
	memcpy(p->body, body, size);
	p->size = size;
}

static void tell_lie(struct relay *r, struct packets *p)
{
	uint64_t lie = draw_lie(r);

	if ((lie >> 32) % 4 != 0 || r->packets.body[0] != 'm')
		return;
	r->lies++;
	expand_runs(p);
	switch ((lie >> 40) % 8) {
	case 0:
		p->size =
			(size_t)snprintf(p->body, sizeof(p->body), "E%02x", (unsigned)(lie & 0xff));
		break;
	case 1:
		change_size(p, lie);
		break;
	case 2:
		memset(p->body, lie & 1 ? '0' : 'f', p->size);
		break;
	case 3:
		poll(NULL, 0, 10 + (int)(lie % 100)); /* late */
		break;
	default:
		change_digits(p, lie);
		break;
	}
}

static bool take_seed(struct relay *r)
{
	static const char order[] = "qCairn.lie:";

	if (!r->liar || !begins(r->packets.body, order))
		return false;
	r->lie_seed = strtoull(r->packets.body + strlen(order), NULL, 10);
	send_packet("OK");
	return true;
}

/* What stands between packets goes on at once. */
static bool take_answers(struct relay *r)
{
	char bytes[4096];
	ssize_t size = read(r->from_server, bytes, sizeof(bytes));

	for (ssize_t i = 0; i < size; i++) {
		bool outside = r->answers.state == OUTSIDE;
		if (take_byte(&r->answers, bytes[i])) {
			if (r->lie_seed)
				tell_lie(r, &r->answers);
			send_body(STDOUT_FILENO, r->answers.body, r->answers.size);
		} else if (outside && bytes[i] != '$') {
			write_all(STDOUT_FILENO, &bytes[i], 1);
		}
	}
	return size > 0;
}

/* The order is for the relay itself; acknowledgements are off when GDB sends it. */
static bool take_order(struct relay *r)
{
	static const char order[] = "qCairn.close:";

	if (!begins(r->packets.body, order))
		return false;
	if (r->ordered)
		fprintf(report, "%lu passed\n", r->counted);
	r->close_at = strtoul(r->packets.body + strlen(order), NULL, 10);
	r->ordered = true;
	r->counted = 0;
	send_packet("OK");
	return true;
}

/* False: the connection ends here. */
static bool take_from_gdb(struct relay *r)
{
	char byte;

	if (read(STDIN_FILENO, &byte, 1) != 1)
		return false;
	bool outside = r->packets.state == OUTSIDE;
	if (!take_byte(&r->packets, byte)) {
		if (outside && byte != '$') /* an acknowledgement, or Ctrl-C */
			write_all(r->to_server, &byte, 1);
		return true;
	}
	if (take_seed(r) || take_order(r))
		return true;
	if (r->ordered && ++r->counted == r->close_at)
		return false;
	send_body(r->to_server, r->packets.body, r->packets.size);
	return true;
}

static bool take_from_server(struct relay *r)
{
	if (r->liar)
		return take_answers(r);
	char bytes[4096];
	ssize_t size = read(r->from_server, bytes, sizeof(bytes));

	if (size <= 0)
		return false;
	write_all(STDOUT_FILENO, bytes, (size_t)size);
	return true;
}

static void relay_packets(struct relay *r)
{
	struct pollfd polled[2] = { { STDIN_FILENO, POLLIN, 0 }, { r->from_server, POLLIN, 0 } };
	bool goes_on = true;

	while (goes_on) {
		if (poll(polled, 2, -1) < 0) {
			goes_on = errno == EINTR;
			continue;
		}
		if (polled[0].revents)
			goes_on = take_from_gdb(r);
		if (goes_on && polled[1].revents)
			goes_on = take_from_server(r);
	}
}

static pid_t start_server(struct relay *r, char **command)
{
	int in[2], out[2];

	if (pipe(in) || pipe(out))
		fail("pipe");
	pid_t child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[0]), close(in[1]), close(out[0]), close(out[1]);
		execvp(command[0], command);
		fail(command[0]);
	}
	close(in[0]);
	close(out[1]);
	r->to_server = in[1];
	r->from_server = out[0];
	return child;
}

static int relay_connection(char **command, bool liar)
{
	static struct relay relay;
	relay.liar = liar;
	pid_t server = start_server(&relay, command);

	relay_packets(&relay);
	if (liar)
		fprintf(report, "%lu lies\n", relay.lies);
	else
		fprintf(report, "%lu %s\n", relay.counted,
		        relay.ordered && relay.counted == relay.close_at ? "closed" : "open");
	fflush(report);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(relay.to_server); /* the server ends its program, and itself */
	close(relay.from_server);
	waitpid(server, NULL, 0);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3 || !(report = fopen(argv[2], "a")))
		fail("remote_stub all|relay|lie REPORT [SERVER ARGUMENTS...]");
	signal(SIGPIPE, SIG_IGN);
	int status = 2;
	if (strcmp(argv[1], "all") == 0)
		status = serve_all_memory();
	else if (strcmp(argv[1], "relay") == 0 && argc > 3)
		status = relay_connection(argv + 3, false);
	else if (strcmp(argv[1], "lie") == 0 && argc > 3)
		status = relay_connection(argv + 3, true);
	return fclose(report) ? 2 : status;
}
