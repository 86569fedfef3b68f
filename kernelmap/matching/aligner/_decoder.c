/* Forward and backward over launch sequences: forward_backward.py, one launch at a time, in C.
 *
 * It follows that module step by step, under the same names, and adds numbers up in the same order,
 * so that both give the same doubles to the last bit; tests compare them.  What a rule is for stands
 * there.  Constants, tables and windows come from Python, and this file decides nothing.
 *
 * Safety.  Every number that is used as a place is compared with the size of its table before the
 * first step (`is_sound`), or where it is made (`rate_of`).
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 2

#define TRY(step)         \
    do {                  \
        if (!(step))      \
            return false; \
    } while (0)

/* ------------------------------------------------------------------ what Python hands over */

/* Columns of whole numbers.  By state: START has one more, and leads into TARGET. */
enum {
    START, TARGET, STRANGER, LOOSE, BESIDE, TUNED, CALLS, WORD_OF_STATE, ROW,
    WORD_OF_TOKEN, COLUMN,                            /* by token */
    ENTRY_START, ENTRY_STATE, BEGIN_START, BEGIN_STATE, /* by token, into states */
    TOKEN, SETTLED, WEIGHT,                           /* by window and step */
    LENGTH, OPENS, CLOSES, WHOLE, SEQUENCE, ORIGIN,   /* by window */
    INTEGERS
};

enum {
    RATE, TO_STRANGER, ENDS, ENTERS, EMITTED, BACKGROUND, STRANGE, ENTRY_RATE, BEGIN_RATE,
    FLOATS
};

/* Single numbers. */
enum { TO_BACKGROUND, STAYS, BEAM, WITHIN, DOUBT, NUMBERS };

/* Sums that grow. */
enum { C_EMITTED, C_BACKGROUND, C_STRANGER, C_ARC, C_ENTERED, C_ENDED, C_STRAYED, C_IDLE, COUNTS };

/* What was decided before, beside calls (tokens.py). */
enum { OPEN = -1, OUTSIDE = -2, TUNED_BEFORE = -3 };

typedef struct {
    int64_t *at;
    size_t size;
} Integers;

typedef struct {
    double *at;
    size_t size;
} Floats;

/* States that are followed after one step, or ways that lead to states: parallel columns. */
typedef struct {
    int64_t *window, *state;
    double *share;
    size_t size, room;
} Front;

/* The arcs from a front to the one behind it. */
typedef struct {
    int64_t *source, *arc;
    double *onward;
    size_t size, room;
} Ways;

/* Columns of the posterior. */
typedef struct {
    int32_t *sequence, *at, *state;
    float *share;
    size_t size, room;
} Noted;

typedef struct {
    Integers integer[INTEGERS];
    Floats real[FLOATS];
    double number[NUMBERS];
    Floats count[COUNTS];
    bool counts, notes;
    size_t states, tokens, windows, longest;
    Front all;     /* the fronts of all steps, one after the other */
    size_t *begin; /* where each of them begins: longest + 1 */
    Front parts;
    Ways ways;
    Noted noted;
    int64_t *scratch, *number_of;
    double *ahead, *best, *per_window[6];
    size_t number_room;
} Decoder;

#define INT(name) (d->integer[name].at)
#define REAL(name) (d->real[name].at)
#define CELL(name, window, step) (d->integer[name].at[(size_t)(window) * d->longest + (step)])

/* ------------------------------------------------------------------ memory */

static bool grown(void **column, size_t size, size_t room)
{
    void *larger = realloc(*column, size * room);
    if (larger)
        *column = larger;
    return larger != NULL;
}

static bool room_for(size_t *room, size_t size)
{
    if (size <= *room)
        return false;
    *room = size < 1024 ? 1024 : size + size / 2;
    return true;
}

static bool reserve(Front *front, size_t size)
{
    size_t room = front->room;
    if (!room_for(&room, size))
        return true;
    TRY(grown((void **)&front->window, sizeof *front->window, room));
    TRY(grown((void **)&front->state, sizeof *front->state, room));
    TRY(grown((void **)&front->share, sizeof *front->share, room));
    front->room = room;
    return true;
}

static bool add(Front *front, int64_t window, int64_t state, double share)
{
    if (front->size == front->room)
        TRY(reserve(front, front->size + 1));
    front->window[front->size] = window;
    front->state[front->size] = state;
    front->share[front->size++] = share;
    return true;
}

static bool add_way(Ways *ways, int64_t source, int64_t arc, double onward)
{
    if (ways->size == ways->room) {
        size_t room = ways->room;
        room_for(&room, ways->size + 1);
        TRY(grown((void **)&ways->source, sizeof *ways->source, room));
        TRY(grown((void **)&ways->arc, sizeof *ways->arc, room));
        TRY(grown((void **)&ways->onward, sizeof *ways->onward, room));
        ways->room = room;
    }
    ways->source[ways->size] = source;
    ways->arc[ways->size] = arc;
    ways->onward[ways->size++] = onward;
    return true;
}

static bool note(Noted *noted, int64_t sequence, int64_t at, int64_t state, double share)
{
    if (noted->size == noted->room) {
        size_t room = noted->room;
        room_for(&room, noted->size + 1);
        TRY(grown((void **)&noted->sequence, sizeof *noted->sequence, room));
        TRY(grown((void **)&noted->at, sizeof *noted->at, room));
        TRY(grown((void **)&noted->state, sizeof *noted->state, room));
        TRY(grown((void **)&noted->share, sizeof *noted->share, room));
        noted->room = room;
    }
    noted->sequence[noted->size] = (int32_t)sequence;
    noted->at[noted->size] = (int32_t)at;
    noted->state[noted->size] = (int32_t)state;
    noted->share[noted->size++] = (float)share;
    return true;
}

static bool prepared(Decoder *d)
{
    size_t cells = d->windows * d->states;
    d->begin = calloc(d->longest + 1, sizeof *d->begin);
    d->scratch = malloc((cells + 1) * sizeof *d->scratch);
    d->ahead = calloc(cells + 1, sizeof *d->ahead);
    d->best = malloc((d->windows + 1) * sizeof *d->best);
    TRY(d->begin && d->scratch && d->ahead && d->best);
    for (size_t which = 0; which < 6; which++)
        TRY(d->per_window[which] = malloc((d->windows + 1) * sizeof(double)));
    return true;
}

static void released(Decoder *d)
{
    void *memory[] = {
        d->all.window, d->all.state, d->all.share, d->parts.window, d->parts.state, d->parts.share,
        d->ways.source, d->ways.arc, d->ways.onward, d->noted.sequence, d->noted.at, d->noted.state,
        d->noted.share, d->begin, d->scratch, d->number_of, d->ahead, d->best, d->per_window[0],
        d->per_window[1], d->per_window[2], d->per_window[3], d->per_window[4], d->per_window[5],
    };
    for (size_t which = 0; which < sizeof memory / sizeof memory[0]; which++)
        free(memory[which]);
}

/* ------------------------------------------------------------------ rates */

/* The rate of a token in a state that launches certain tokens only. */
static double rate_of(const Decoder *d, int64_t state, int64_t token)
{
    int64_t at = INT(ROW)[state] + INT(COLUMN)[token];
    return at < 0 || (size_t)at >= d->real[EMITTED].size ? 0.0 : REAL(EMITTED)[at];
}

static bool launches(const Decoder *d, int64_t state, int64_t token)
{
    return INT(WORD_OF_STATE)[state] == INT(WORD_OF_TOKEN)[token];
}

/* The arcs from a state to those of a word, which lie side by side. */
static int64_t first_arc(const Decoder *d, int64_t state, int64_t word)
{
    int64_t low = INT(START)[state], high = INT(START)[state + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (INT(WORD_OF_STATE)[INT(TARGET)[middle]] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool leads_to(const Decoder *d, int64_t state, int64_t arc, int64_t word)
{
    return arc < INT(START)[state + 1] && INT(WORD_OF_STATE)[INT(TARGET)[arc]] == word;
}

static double emitted(const Decoder *d, int64_t state, int64_t token)
{
    int64_t loose = INT(LOOSE)[state];
    if (loose == 0 && launches(d, state, token))
        return rate_of(d, state, token);
    return loose == 1 ? REAL(BACKGROUND)[token] : REAL(STRANGE)[token];
}

/* How a state agrees with what was decided before, and with what its window is. */
static double fit(const Decoder *d, int64_t window, int64_t state, size_t step)
{
    int64_t sure = CELL(SETTLED, window, step);
    double fits = 1.0;
    if (sure != OPEN) {
        int64_t call = INT(CALLS)[state];
        if ((sure >= 0 && call != sure) || (sure == OUTSIDE && call >= 0)
            || (sure == TUNED_BEFORE && !INT(TUNED)[state]))
            fits = d->number[DOUBT];
    }
    if (INT(WHOLE)[window] && INT(BESIDE)[state])
        fits *= d->number[WITHIN];
    return fits;
}

/* ------------------------------------------------------------------ forward */

/* Where windows may begin: anywhere, or where an invocation does. */
static bool open_windows(Decoder *d, size_t count, size_t step, const int64_t *whole,
                         const double *lost)
{
    static const int tables[2][3] = {
        {BEGIN_START, BEGIN_STATE, BEGIN_RATE}, {ENTRY_START, ENTRY_STATE, ENTRY_RATE}
    };
    for (int which = 0; which < 2; which++) {
        const int64_t *start = d->integer[tables[which][0]].at;
        const int64_t *state = d->integer[tables[which][1]].at;
        const double *rate = d->real[tables[which][2]].at;
        for (size_t window = 0; window < count; window++) {
            if ((whole && whole[window]) != which || (lost && !lost[window]))
                continue;
            int64_t token = CELL(TOKEN, window, step);
            for (int64_t at = start[token]; at < start[token + 1]; at++)
                TRY(add(&d->parts, (int64_t)window, state[at], rate[at]));
        }
    }
    for (size_t window = 0; window < count; window++) {
        if (lost && !lost[window])
            continue;
        double rest = whole && whole[window] ? d->number[TO_BACKGROUND] : 0.5;
        TRY(add(&d->parts, (int64_t)window, 0,
                rest * REAL(BACKGROUND)[CELL(TOKEN, window, step)]));
    }
    return true;
}

/* All ways from the states of a front to states that launch what comes next. */
static bool move(Decoder *d, size_t first, size_t last, size_t count, size_t step)
{
    const Front *all = &d->all;
    double *resting = d->per_window[0], *ended = d->per_window[1];
    for (size_t at = first; at < last; at++) {
        int64_t window = all->window[at], state = all->state[at], token = CELL(TOKEN, window, step);
        int64_t word = INT(WORD_OF_TOKEN)[token];
        for (int64_t arc = first_arc(d, state, word); leads_to(d, state, arc, word); arc++) {
            int64_t target = INT(TARGET)[arc];
            TRY(add(&d->parts, window, target,
                    all->share[at] * REAL(RATE)[arc] * rate_of(d, target, token)));
        }
    }
    memset(resting, 0, count * sizeof *resting);
    memset(ended, 0, count * sizeof *ended);
    for (size_t at = first; at < last; at++) {
        int64_t window = all->window[at], state = all->state[at], token = CELL(TOKEN, window, step);
        int64_t stranger = INT(STRANGER)[state];
        double aside = stranger == 0 ? REAL(BACKGROUND)[token] : REAL(STRANGE)[token];
        TRY(add(&d->parts, window, stranger, all->share[at] * REAL(TO_STRANGER)[state] * aside));
        if (state == 0)
            resting[window] += all->share[at];
        else
            ended[window] += all->share[at] * REAL(ENDS)[state];
    }
    double background = d->number[TO_BACKGROUND], stays = d->number[STAYS];
    for (size_t window = 0; window < count; window++) {
        double hub = ended[window] * (1 - background) + resting[window] * (1 - stays);
        int64_t token = CELL(TOKEN, window, step);
        if (hub > 0)
            for (int64_t at = INT(ENTRY_START)[token]; at < INT(ENTRY_START)[token + 1]; at++)
                TRY(add(&d->parts, (int64_t)window, INT(ENTRY_STATE)[at],
                        hub * REAL(ENTRY_RATE)[at]));
    }
    for (size_t window = 0; window < count; window++) {
        double rest = ended[window] * background + resting[window] * stays;
        TRY(add(&d->parts, (int64_t)window, 0,
                rest * REAL(BACKGROUND)[CELL(TOKEN, window, step)]));
    }
    return true;
}

/* The parts as a new front behind `all`: ways to one state summed up, the improbable dropped. */
static bool merge(Decoder *d, size_t count)
{
    Front *parts = &d->parts, *all = &d->all;
    size_t kept = 0, first = all->size;
    for (size_t at = 0; at < parts->size; at++) {
        if (!(parts->share[at] > 0))
            continue;
        parts->window[kept] = parts->window[at];
        parts->state[kept] = parts->state[at];
        parts->share[kept++] = parts->share[at];
    }
    parts->size = kept;
    size_t room = d->number_room;
    if (room_for(&room, kept)) {
        TRY(grown((void **)&d->number_of, sizeof *d->number_of, room));
        d->number_room = room;
    }
    TRY(reserve(all, first + kept));
#define KEY(at) ((size_t)parts->window[at] * d->states + (size_t)parts->state[at])
    for (size_t at = 0; at < kept; at++)
        d->scratch[KEY(at)] = (int64_t)at;
    for (size_t at = 0; at < kept; at++) {
        if (d->scratch[KEY(at)] == (int64_t)at) {
            d->number_of[at] = (int64_t)(all->size - first);
            add(all, parts->window[at], parts->state[at], 0.0);
        }
    }
    for (size_t at = 0; at < kept; at++)
        all->share[first + (size_t)d->number_of[d->scratch[KEY(at)]]] += parts->share[at];
#undef KEY
    double *whole = d->per_window[0];
    memset(d->best, 0, count * sizeof *d->best);
    memset(whole, 0, count * sizeof *whole);
    for (size_t at = first; at < all->size; at++)
        if (all->share[at] > d->best[all->window[at]])
            d->best[all->window[at]] = all->share[at];
    size_t to = first;
    for (size_t at = first; at < all->size; at++) {
        if (!(all->share[at] > d->number[BEAM] * d->best[all->window[at]]))
            continue;
        all->window[to] = all->window[at];
        all->state[to] = all->state[at];
        all->share[to] = all->share[at];
        whole[all->window[to]] += all->share[to];
        to++;
    }
    all->size = to;
    for (size_t at = first; at < to; at++)
        all->share[at] /= whole[all->window[at]];
    return true;
}

/* Windows that nothing leads on in begin anew. */
static bool begin_anew(Decoder *d, size_t first, size_t count, size_t step)
{
    double *lost = d->per_window[1];
    bool any = false;
    for (size_t window = 0; window < count; window++)
        lost[window] = 1.0;
    for (size_t at = first; at < d->all.size; at++)
        lost[d->all.window[at]] = 0.0;
    for (size_t window = 0; window < count; window++)
        any |= lost[window] != 0.0;
    if (!any)
        return true;
    d->parts.size = 0;
    for (size_t at = first; at < d->all.size; at++)
        TRY(add(&d->parts, d->all.window[at], d->all.state[at], d->all.share[at]));
    TRY(open_windows(d, count, step, NULL, lost));
    d->all.size = first;
    return merge(d, count);
}

static bool forward(Decoder *d)
{
    size_t count = d->windows;
    for (size_t step = 0; step < d->longest; step++) {
        while (count && (size_t)INT(LENGTH)[count - 1] <= step)
            count--;
        d->parts.size = 0;
        if (step == 0) {
            TRY(open_windows(d, count, step, INT(OPENS), NULL));
        } else {
            /* Windows that are at their end go on in no part. */
            size_t last = d->all.size;
            Front *all = &d->all;
            TRY(reserve(all, 2 * last - d->begin[step - 1] + 1));
            size_t first = last, to = last;
            for (size_t at = d->begin[step - 1]; at < last; at++) {
                if (all->window[at] >= (int64_t)count)
                    continue;
                all->window[to] = all->window[at];
                all->state[to] = all->state[at];
                all->share[to++] = all->share[at];
            }
            TRY(move(d, first, to, count, step));
        }
        for (size_t at = 0; at < d->parts.size; at++)
            d->parts.share[at] *= fit(d, d->parts.window[at], d->parts.state[at], step);
        d->begin[step] = d->all.size;
        TRY(merge(d, count));
        TRY(begin_anew(d, d->begin[step], count, step));
    }
    d->begin[d->longest] = d->all.size;
    return true;
}

/* ------------------------------------------------------------------ backward */

typedef struct {
    size_t first, last, count; /* a front in `all`, and its windows */
    double *later;
} Step;

static size_t windows_in(const Decoder *d, size_t first, size_t last)
{
    int64_t most = -1;
    for (size_t at = first; at < last; at++)
        if (d->all.window[at] > most)
            most = d->all.window[at];
    return (size_t)(most + 1);
}

/* How probable what follows is behind each state, by which arcs, and how it leaves its graph. */
static bool look_behind(Decoder *d, const Step *now, size_t step, const Front *behind,
                        double *strange, double *out, double *entry)
{
    const Front *all = &d->all;
    double *start = d->per_window[2], *rest = d->per_window[3];
    double background = d->number[TO_BACKGROUND], stays = d->number[STAYS];
    memset(start, 0, d->windows * sizeof *start);
    memset(rest, 0, d->windows * sizeof *rest);
    for (size_t at = 0; at < behind->size; at++) {
        int64_t window = behind->window[at], state = behind->state[at];
        d->ahead[(size_t)window * d->states + (size_t)state] = behind->share[at];
        entry[at] = REAL(ENTERS)[state] * behind->share[at];
        start[window] += entry[at];
        if (state == 0)
            rest[window] = behind->share[at];
    }
    d->ways.size = 0;
    for (size_t at = now->first; at < now->last; at++) {
        size_t own = (size_t)all->window[at] * d->states, number = at - now->first;
        int64_t window = all->window[at], state = all->state[at];
        double onward_sum = 0.0;
        strange[number] = out[number] = 0.0;
        if (step + 1 >= (size_t)INT(LENGTH)[window])
            continue;
        int64_t word = INT(WORD_OF_TOKEN)[CELL(TOKEN, window, step + 1)];
        for (int64_t arc = first_arc(d, state, word); leads_to(d, state, arc, word); arc++) {
            double onward = REAL(RATE)[arc] * d->ahead[own + (size_t)INT(TARGET)[arc]];
            if (onward == 0)
                continue;
            onward_sum += onward;
            TRY(add_way(&d->ways, (int64_t)at, arc, onward));
        }
        double hub = (1 - background) * start[window] + background * rest[window];
        double wait = (1 - stays) * start[window] + stays * rest[window];
        strange[number] = REAL(TO_STRANGER)[state] * d->ahead[own + (size_t)INT(STRANGER)[state]];
        out[number] = state == 0 ? wait : REAL(ENDS)[state] * hub;
        now->later[number] = now->later[number] + onward_sum + strange[number] + out[number];
    }
    for (size_t at = 0; at < behind->size; at++)
        d->ahead[(size_t)behind->window[at] * d->states + (size_t)behind->state[at]] = 0.0;
    return true;
}

static void count_arcs(Decoder *d, const Step *now, const Front *behind, const double *scale,
                       const double *strange, const double *out, const double *entry)
{
    const Front *all = &d->all;
    double *resting = d->per_window[4], *ended = d->per_window[5], *rest = d->per_window[3];
    double background = d->number[TO_BACKGROUND], stays = d->number[STAYS];
    for (size_t way = 0; way < d->ways.size; way++) {
        int64_t source = d->ways.source[way];
        d->count[C_ARC].at[d->ways.arc[way]]
            += d->ways.onward[way] * (all->share[source] * scale[all->window[source]]);
    }
    memset(resting, 0, now->count * sizeof *resting);
    memset(ended, 0, now->count * sizeof *ended);
    for (size_t at = now->first; at < now->last; at++) {
        int64_t window = all->window[at], state = all->state[at];
        double share = all->share[at] * scale[window];
        d->count[C_STRAYED].at[state] += strange[at - now->first] * share;
        d->count[C_ENDED].at[state] += out[at - now->first] * share;
        if (state == 0)
            resting[window] += share;
        else
            ended[window] += share * REAL(ENDS)[state];
    }
    for (size_t at = 0; at < behind->size; at++) {
        int64_t window = behind->window[at];
        if (window >= (int64_t)now->count)
            continue;
        double hub = ended[window] * (1 - background) + resting[window] * (1 - stays);
        d->count[C_ENTERED].at[behind->state[at]] += entry[at] * hub;
    }
    double rested = 0.0, stayed = 0.0;
    for (size_t window = 0; window < now->count; window++) {
        rested += ended[window] * rest[window];
        stayed += resting[window] * rest[window];
    }
    d->count[C_IDLE].at[0] += rested * background;
    d->count[C_IDLE].at[1] += stayed * stays;
}

/* Sums of share times what follows, by window; whether some window has none. */
static bool torn_apart(const Decoder *d, const Step *now, double *total)
{
    memset(total, 0, now->count * sizeof *total);
    for (size_t at = now->first; at < now->last; at++)
        total[d->all.window[at]] += d->all.share[at] * now->later[at - now->first];
    for (size_t window = 0; window < now->count; window++)
        if (total[window] <= 0)
            return true;
    return false;
}

static bool back_one(Decoder *d, const Step *now, size_t step, Front *behind, double *strange,
                     double *out, double *entry)
{
    const Front *all = &d->all;
    double *total = d->per_window[0], *scale = d->per_window[1];
    for (size_t at = now->first; at < now->last; at++) {
        int64_t window = all->window[at], state = all->state[at];
        bool ending = (size_t)INT(LENGTH)[window] == step + 1;
        double *later = &now->later[at - now->first];
        *later = ending ? 1.0 : 0.0;
        if (ending && INT(CLOSES)[window])
            *later = state == 0 ? 1.0 : REAL(ENDS)[state];
    }
    bool leads_on = step + 1 < d->longest;
    if (leads_on)
        TRY(look_behind(d, now, step, behind, strange, out, entry));
    if (torn_apart(d, now, total)) {
        for (size_t at = now->first; at < now->last; at++)
            if (total[all->window[at]] <= 0)
                now->later[at - now->first] = 1.0;
        torn_apart(d, now, total);
    }
    for (size_t window = 0; window < now->count; window++)
        scale[window] = 1 / total[window];
    for (size_t at = now->first; at < now->last; at++) {
        int64_t window = all->window[at], state = all->state[at], token = CELL(TOKEN, window, step);
        int64_t weight = CELL(WEIGHT, window, step);
        double gamma = all->share[at] * now->later[at - now->first] * scale[window];
        if (d->counts) {
            int64_t loose = INT(LOOSE)[state], place = INT(ROW)[state] + INT(COLUMN)[token];
            double counted = gamma * (double)weight;
            if (loose == 1)
                d->count[C_BACKGROUND].at[token] += counted;
            else if (loose == 2)
                d->count[C_STRANGER].at[token] += counted;
            else if (place >= 0 && (size_t)place < d->count[C_EMITTED].size)
                d->count[C_EMITTED].at[place] += counted;
        }
        if (d->notes && weight > 0 && gamma > d->number[BEAM])
            TRY(note(&d->noted, INT(SEQUENCE)[window], INT(ORIGIN)[window] + (int64_t)step, state,
                     gamma));
    }
    if (d->counts && leads_on) {
        for (size_t window = 0; window < now->count; window++)
            total[window] = scale[window] * (double)CELL(WEIGHT, window, step);
        count_arcs(d, now, behind, total, strange, out, entry);
    }
    behind->size = 0;
    for (size_t at = now->first; at < now->last; at++) {
        int64_t window = all->window[at], state = all->state[at], token = CELL(TOKEN, window, step);
        double seen = emitted(d, state, token) * fit(d, window, state, step);
        TRY(add(behind, window, state, now->later[at - now->first] * scale[window] * seen));
    }
    return true;
}

static bool backward(Decoder *d)
{
    size_t most = 1;
    for (size_t step = 0; step < d->longest; step++)
        if (d->begin[step + 1] - d->begin[step] > most)
            most = d->begin[step + 1] - d->begin[step];
    double *columns = malloc(4 * most * sizeof *columns);
    Front *behind = &d->parts;
    bool done = columns != NULL;
    behind->size = 0;
    for (size_t step = d->longest; done && step-- > 0;) {
        size_t first = d->begin[step], last = d->begin[step + 1];
        Step now = {first, last, windows_in(d, first, last), columns};
        done = back_one(d, &now, step, behind, columns + most, columns + 2 * most,
                        columns + 3 * most);
    }
    free(columns);
    return done;
}

/* ------------------------------------------------------------------ Python */

/* Whether all places in a column lie in `from`, ... `below`. */
static bool lies(const Integers *column, int64_t from, size_t below)
{
    for (size_t at = 0; at < column->size; at++)
        if (column->at[at] < from || column->at[at] >= (int64_t)below)
            return false;
    return true;
}

/* Whether the rows of a ragged table grow, and end where `elements` do. */
static bool is_ragged(const Integers *start, size_t rows, size_t elements)
{
    if (start->size != rows + 1 || start->at[0] != 0 || start->at[rows] != (int64_t)elements)
        return false;
    for (size_t row = 0; row < rows; row++)
        if (start->at[row] > start->at[row + 1])
            return false;
    return true;
}

static bool has_sizes(const Decoder *d)
{
    static const int by_state[] = {STRANGER, LOOSE, BESIDE, TUNED, CALLS, WORD_OF_STATE, ROW};
    static const int by_window[] = {LENGTH, OPENS, CLOSES, WHOLE, SEQUENCE, ORIGIN};
    for (size_t at = 0; at < sizeof by_state / sizeof *by_state; at++)
        TRY(d->integer[by_state[at]].size == d->states);
    for (size_t at = 0; at < sizeof by_window / sizeof *by_window; at++)
        TRY(d->integer[by_window[at]].size == d->windows);
    for (int cells = TOKEN; cells <= WEIGHT; cells++)
        TRY(d->integer[cells].size == d->windows * d->longest);
    const Floats *real = d->real, *count = d->count;
    size_t arcs = d->integer[TARGET].size;
    TRY(d->integer[COLUMN].size == d->tokens && real[RATE].size == arcs);
    TRY(real[TO_STRANGER].size == d->states && real[ENDS].size == d->states);
    TRY(real[ENTERS].size == d->states && real[BACKGROUND].size == d->tokens);
    TRY(real[STRANGE].size == d->tokens);
    TRY(real[ENTRY_RATE].size == d->integer[ENTRY_STATE].size);
    TRY(real[BEGIN_RATE].size == d->integer[BEGIN_STATE].size);
    if (!d->counts)
        return true;
    TRY(count[C_EMITTED].size == real[EMITTED].size && count[C_ARC].size == arcs);
    TRY(count[C_BACKGROUND].size == d->tokens && count[C_STRANGER].size == d->tokens);
    TRY(count[C_ENTERED].size == d->states && count[C_ENDED].size == d->states);
    return count[C_STRAYED].size == d->states && count[C_IDLE].size == 2;
}

/* Whether what Python handed over fits together, so that no step leaves a table. */
static bool is_sound(const Decoder *d)
{
    const Integers *integer = d->integer;
    TRY(d->states > 0 && d->windows > 0 && has_sizes(d));
    TRY(is_ragged(&integer[START], d->states, integer[TARGET].size));
    TRY(is_ragged(&integer[ENTRY_START], d->tokens, integer[ENTRY_STATE].size));
    TRY(is_ragged(&integer[BEGIN_START], d->tokens, integer[BEGIN_STATE].size));
    TRY(lies(&integer[TARGET], 0, d->states) && lies(&integer[STRANGER], 0, d->states));
    TRY(lies(&integer[ENTRY_STATE], 0, d->states) && lies(&integer[BEGIN_STATE], 0, d->states));
    TRY(lies(&integer[LENGTH], 0, d->longest + 1));
    for (size_t window = 0; window < d->windows; window++) {
        size_t length = (size_t)integer[LENGTH].at[window];
        TRY(window == 0 || integer[LENGTH].at[window - 1] >= (int64_t)length);
        for (size_t step = 0; step < length; step++) {
            int64_t token = CELL(TOKEN, window, step);
            TRY(token >= 0 && token < (int64_t)d->tokens);
        }
    }
    return (size_t)integer[LENGTH].at[0] == d->longest;
}

#define MOST_VIEWS (INTEGERS + FLOATS + COUNTS)

/* Views of the arrays of a tuple: eight bytes an element. */
static bool viewed(PyObject *tuple, Py_ssize_t size, int flags, Py_buffer *views, size_t *held)
{
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != size) {
        PyErr_SetString(PyExc_TypeError, "another number of columns");
        return false;
    }
    for (Py_ssize_t at = 0; at < size; at++) {
        if (PyObject_GetBuffer(PyTuple_GetItem(tuple, at), &views[at], flags) < 0)
            return false;
        (*held)++;
        if (views[at].itemsize != 8) {
            PyErr_SetString(PyExc_TypeError, "a column of another type");
            return false;
        }
    }
    return true;
}

static PyObject *columns_of(const Noted *noted)
{
    size_t size = noted->size;
    /* Of a null pointer Python would make bytes that nobody filled. */
    if (!size)
        return Py_BuildValue("(yyyy)", "", "", "", "");
    return Py_BuildValue("(y#y#y#y#)", (char *)noted->sequence,
                         (Py_ssize_t)(size * sizeof *noted->sequence), (char *)noted->at,
                         (Py_ssize_t)(size * sizeof *noted->at), (char *)noted->state,
                         (Py_ssize_t)(size * sizeof *noted->state), (char *)noted->share,
                         (Py_ssize_t)(size * sizeof *noted->share));
}

PyDoc_STRVAR(run_doc,
"run(integers, floats, numbers, counts, notes)\n--\n\n"
"Add what a batch of windows shows to the sums `counts` (None: nothing is counted). Gives the bytes\n"
"of four columns of the posterior: int32 sequence, place and state, float32 share; none of them\n"
"where `notes` is false. ValueError where the columns do not fit together.");

static PyObject *decoder_run(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *integers, *floats, *numbers, *counts, *result = NULL;
    Py_buffer views[MOST_VIEWS];
    size_t held = 0;
    Decoder decoder = {0}, *d = &decoder;
    int notes;
    if (!PyArg_ParseTuple(args, "OOOOp", &integers, &floats, &numbers, &counts, &notes))
        return NULL;
    const int plain = PyBUF_C_CONTIGUOUS;
    if (!viewed(integers, INTEGERS, plain, views, &held)
        || !viewed(floats, FLOATS, plain, views + INTEGERS, &held))
        goto end;
    d->counts = counts != Py_None;
    d->notes = notes;
    if (d->counts
        && !viewed(counts, COUNTS, plain | PyBUF_WRITABLE, views + INTEGERS + FLOATS, &held))
        goto end;
    if (!PyArg_ParseTuple(numbers, "ddddd", &d->number[TO_BACKGROUND], &d->number[STAYS],
                          &d->number[BEAM], &d->number[WITHIN], &d->number[DOUBT]))
        goto end;
    for (int at = 0; at < INTEGERS; at++)
        d->integer[at] = (Integers){views[at].buf, (size_t)views[at].len / 8};
    for (int at = 0; at < FLOATS; at++)
        d->real[at] = (Floats){views[INTEGERS + at].buf, (size_t)views[INTEGERS + at].len / 8};
    for (int at = 0; d->counts && at < COUNTS; at++) {
        Py_buffer *view = &views[INTEGERS + FLOATS + at];
        d->count[at] = (Floats){view->buf, (size_t)view->len / 8};
    }
    d->states = d->integer[STRANGER].size;
    d->tokens = d->integer[WORD_OF_TOKEN].size;
    d->windows = d->integer[LENGTH].size;
    d->longest = d->windows ? d->integer[TOKEN].size / d->windows : 0;
    if (!is_sound(d)) {
        PyErr_SetString(PyExc_ValueError, "columns that do not fit together");
        goto end;
    }
    bool done;
    Py_BEGIN_ALLOW_THREADS
    done = prepared(d) && forward(d) && backward(d);
    Py_END_ALLOW_THREADS
    result = done ? columns_of(&d->noted) : PyErr_NoMemory();
end:
    released(d);
    while (held)
        PyBuffer_Release(&views[--held]);
    return result;
}

static PyMethodDef methods[] = {
    {"run", decoder_run, METH_VARARGS, run_doc},
    {NULL, NULL, 0, NULL},
};

static int decoder_exec(PyObject *module)
{
    return PyModule_AddIntConstant(module, "VERSION", VERSION);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)decoder_exec},
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "kernelmap.matching.aligner._decoder",
    .m_doc = "Forward and backward over launch sequences.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__decoder(void)
{
    return PyModuleDef_Init(&module_def);
}
