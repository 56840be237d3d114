/* A bot that plays any legal move, in C99: the protocol is in docs/protocol.md. Build: cc -O2 -o random_bot random_bot.c */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

/* The next number of a 64-bit linear congruential generator; its high bits are the random ones. */
static uint32_t next_random(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* The next line of the input without its end, in memory that grows with it; NULL at the end of the input. */
static char *read_line(void) {
    static char *line;
    static size_t size;
    size_t length = 0;
    int letter;
    while ((letter = getchar()) != EOF) {
        if (length + 1 >= size) {
            size = size ? 2 * size : 256;
            line = realloc(line, size);
            if (line == NULL) {
                fputs("random_bot: out of memory\n", stderr);
                exit(1);
            }
        }
        if (letter == '\n') {
            break;
        }
        line[length++] = (char)letter;
    }
    if (letter == EOF && length == 0) {
        return NULL;
    }
    line[length] = '\0';
    return line;
}

static int begins(const char *line, const char *word) {
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\0');
}

/* Answer "go ... searchmoves A B C" with one of the moves. */
static void play(char *line) {
    char *moves[256], *word = strstr(line, "searchmoves ");
    uint32_t count = 0;
    if (word == NULL) {
        return;
    }
    strtok(word, " ");
    while (count < 256 && (word = strtok(NULL, " ")) != NULL) {
        moves[count++] = word;
    }
    if (count > 0) {
        printf("bestmove %s\n", moves[next_random() % count]);
    }
}

int main(void) {
    const char *option = "setoption name Seed value ";
    uint64_t seed = 0;
    char *line;
    while ((line = read_line()) != NULL && !begins(line, "quit")) {
        if (begins(line, "uci")) {
            puts("id name Random (C)\nid author mancala-env\noption name Seed type spin default 0\nuciok");
        } else if (begins(line, "isready")) {
            puts("readyok");
        } else if (begins(line, "rules")) {
            puts("rulesok"); /* the host says which moves are legal, so that every game will do */
        } else if (strncmp(line, option, strlen(option)) == 0) {
            seed = strtoull(line + strlen(option), NULL, 10);
        } else if (begins(line, "ucinewgame")) {
            state = seed;
            next_random(); /* seeds that are close differ in the low bits only */
            next_random();
        } else if (begins(line, "go")) {
            play(line);
        }
        fflush(stdout);
    }
    return 0;
}
