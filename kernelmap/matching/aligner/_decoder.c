/* Forward and backward over launch sequences: forward_backward.py, in C.
 *
 * It takes the steps of that module, under the same names, window by window.  What a rule is for
 * stands there.  Constants, tables and windows come from Python, and this file decides nothing.
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

#define VERSION 3

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
    TOKEN, SETTLED, WEIGHT,                           /* by launch, one window behind another */
    FIRST, OPENS, CLOSES, WHOLE, SEQUENCE, ORIGIN,    /* by window: FIRST has one more */
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
enum { OUTSIDE = -2, TUNED_BEFORE = -3 };

typedef struct {
    int64_t *at;
    size_t size;
} Integers;

typedef struct {
    double *at;
    size_t size;
} Floats;

/* The states that are followed at all launches of a window, one launch behind another. */
typedef struct {
    int64_t *state;
    double *share;
    size_t size, room;
} Fronts;

/* The arcs from a front to the next one, and the share of what lies behind them. */
typedef struct {
    int64_t *source, *arc;
    double *share;
    size_t size, room;
} Arcs;

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
    Fronts fronts;
    size_t *begin; /* where the front of each launch begins: longest + 1 */
    /* By state: the ways to it so far (0 for those that none of `met` leads to), what lies behind
     * it at the next launch, and of the front at hand what follows, strays and ends. */
    double *ways, *ahead, *later, *strayed, *ended;
    bool *is_met;
    int64_t *met;
    size_t met_size;
    Arcs arcs;
    Noted noted;
} Decoder;

/* One window: its number, and where its launches begin. */
typedef struct {
    size_t number, first, length;
} Window;

#define INT(name) (d->integer[name].at)
#define REAL(name) (d->real[name].at)

/* ------------------------------------------------------------------ memory */

static bool grown(void **column, size_t size, size_t room)
{
    void *larger = realloc(*column, size * room);
    if (larger)
        *column = larger;
    return larger != NULL;
}

static size_t larger(size_t size)
{
    return size < 1024 ? 1024 : size + size / 2;
}

static bool follow(Fronts *fronts, int64_t state, double share)
{
    if (fronts->size == fronts->room) {
        size_t room = larger(fronts->size);
        TRY(grown((void **)&fronts->state, sizeof *fronts->state, room));
        TRY(grown((void **)&fronts->share, sizeof *fronts->share, room));
        fronts->room = room;
    }
    fronts->state[fronts->size] = state;
    fronts->share[fronts->size++] = share;
    return true;
}

static bool add_arc(Arcs *arcs, int64_t source, int64_t arc, double share)
{
    if (arcs->size == arcs->room) {
        size_t room = larger(arcs->size);
        TRY(grown((void **)&arcs->source, sizeof *arcs->source, room));
        TRY(grown((void **)&arcs->arc, sizeof *arcs->arc, room));
        TRY(grown((void **)&arcs->share, sizeof *arcs->share, room));
        arcs->room = room;
    }
    arcs->source[arcs->size] = source;
    arcs->arc[arcs->size] = arc;
    arcs->share[arcs->size++] = share;
    return true;
}

static bool note(Noted *noted, int64_t sequence, int64_t at, int64_t state, double share)
{
    if (noted->size == noted->room) {
        size_t room = larger(noted->size);
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
    TRY(d->begin = calloc(d->longest + 1, sizeof *d->begin));
    TRY(d->is_met = calloc(d->states, sizeof *d->is_met));
    TRY(d->met = malloc(d->states * sizeof *d->met));
    double **columns[] = {&d->ways, &d->ahead, &d->later, &d->strayed, &d->ended};
    for (size_t which = 0; which < sizeof columns / sizeof *columns; which++)
        TRY(*columns[which] = calloc(d->states, sizeof **columns[which]));
    return true;
}

static void released(Decoder *d)
{
    void *memory[] = {
        d->fronts.state, d->fronts.share, d->begin, d->ways, d->ahead, d->later, d->strayed,
        d->ended, d->is_met, d->met, d->arcs.source, d->arcs.arc, d->arcs.share, d->noted.sequence,
        d->noted.at, d->noted.state, d->noted.share,
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

/* The rate of a token in a state that launched it. */
static double emitted(const Decoder *d, int64_t state, int64_t token)
{
    int64_t loose = INT(LOOSE)[state];
    if (loose == 0)
        return rate_of(d, state, token);
    return loose == 1 ? REAL(BACKGROUND)[token] : REAL(STRANGE)[token];
}

/* How a state agrees with what was decided before, and with what its window is. */
static double fit(const Decoder *d, const Window *window, size_t step, int64_t state)
{
    int64_t sure = INT(SETTLED)[window->first + step], call = INT(CALLS)[state];
    double fits = 1.0;
    if ((sure >= 0 && call != sure) || (sure == OUTSIDE && call >= 0)
        || (sure == TUNED_BEFORE && !INT(TUNED)[state]))
        fits = d->number[DOUBT];
    return INT(WHOLE)[window->number] && INT(BESIDE)[state] ? fits * d->number[WITHIN] : fits;
}

/* ------------------------------------------------------------------ forward */

static void add_way(Decoder *d, int64_t state, double share)
{
    if (!d->is_met[state]) {
        d->is_met[state] = true;
        d->met[d->met_size++] = state;
    }
    d->ways[state] += share;
}

/* Where a window may begin: where an invocation does, or anywhere. */
static void open_window(Decoder *d, int64_t token, bool opens)
{
    const int64_t *start = INT(opens ? ENTRY_START : BEGIN_START);
    const int64_t *state = INT(opens ? ENTRY_STATE : BEGIN_STATE);
    const double *rate = REAL(opens ? ENTRY_RATE : BEGIN_RATE);
    for (int64_t at = start[token]; at < start[token + 1]; at++)
        add_way(d, state[at], rate[at]);
    add_way(d, 0, (opens ? d->number[TO_BACKGROUND] : 0.5) * REAL(BACKGROUND)[token]);
}

/* How probable it is that an invocation ends at a front, and that none runs. */
static void idle(const Decoder *d, size_t first, size_t last, double *ended, double *resting)
{
    *ended = *resting = 0.0;
    for (size_t at = first; at < last; at++) {
        int64_t state = d->fronts.state[at];
        if (state == 0)
            *resting += d->fronts.share[at];
        else
            *ended += d->fronts.share[at] * REAL(ENDS)[state];
    }
}

/* What a front may be followed by if the next launch is a `token`. */
static void move(Decoder *d, size_t first, size_t last, int64_t token)
{
    int64_t word = INT(WORD_OF_TOKEN)[token];
    for (size_t at = first; at < last; at++) {
        int64_t state = d->fronts.state[at], stranger = INT(STRANGER)[state];
        double share = d->fronts.share[at];
        for (int64_t arc = first_arc(d, state, word); leads_to(d, state, arc, word); arc++) {
            int64_t target = INT(TARGET)[arc];
            add_way(d, target, share * REAL(RATE)[arc] * rate_of(d, target, token));
        }
        double aside = stranger == 0 ? REAL(BACKGROUND)[token] : REAL(STRANGE)[token];
        add_way(d, stranger, share * REAL(TO_STRANGER)[state] * aside);
    }
    double ended, resting, background = d->number[TO_BACKGROUND], stays = d->number[STAYS];
    idle(d, first, last, &ended, &resting);
    double begins = ended * (1 - background) + resting * (1 - stays);
    for (int64_t at = INT(ENTRY_START)[token]; at < INT(ENTRY_START)[token + 1]; at++)
        add_way(d, INT(ENTRY_STATE)[at], begins * REAL(ENTRY_RATE)[at]);
    add_way(d, 0, (ended * background + resting * stays) * REAL(BACKGROUND)[token]);
}

/* The ways as a new front, without the improbable ones, as shares of their sum. */
static bool settle(Decoder *d)
{
    size_t first = d->fronts.size;
    double best = 0.0, total = 0.0;
    for (size_t at = 0; at < d->met_size; at++)
        if (d->ways[d->met[at]] > best)
            best = d->ways[d->met[at]];
    for (size_t at = 0; at < d->met_size; at++) {
        int64_t state = d->met[at];
        double share = d->ways[state];
        d->ways[state] = 0.0;
        d->is_met[state] = false;
        if (!(share > d->number[BEAM] * best))
            continue;
        TRY(follow(&d->fronts, state, share));
        total += share;
    }
    d->met_size = 0;
    for (size_t at = first; at < d->fronts.size; at++)
        d->fronts.share[at] /= total;
    return true;
}

static bool forward(Decoder *d, const Window *window)
{
    d->fronts.size = 0;
    for (size_t step = 0; step < window->length; step++) {
        int64_t token = INT(TOKEN)[window->first + step];
        size_t first = d->fronts.size;
        if (step == 0)
            open_window(d, token, INT(OPENS)[window->number]);
        else
            move(d, d->begin[step - 1], first, token);
        for (size_t at = 0; at < d->met_size; at++)
            d->ways[d->met[at]] *= fit(d, window, step, d->met[at]);
        d->begin[step] = first;
        TRY(settle(d));
        if (d->fronts.size == first) {
            /* Nothing that was followed launches this: begin anew. */
            open_window(d, token, false);
            TRY(settle(d));
        }
    }
    d->begin[window->length] = d->fronts.size;
    return true;
}

/* ------------------------------------------------------------------ backward */

/* Two fronts that follow one another, as places in `fronts`; what lies behind the later one is in
 * `ahead`. */
typedef struct {
    size_t first, last, end;
} Pair;

/* The ways to the next launch, a `token`, with what is behind them; gives what it rests on. */
static bool look_ahead(Decoder *d, const Pair *pair, int64_t token, double *rested)
{
    double begun = 0.0, background = d->number[TO_BACKGROUND], stays = d->number[STAYS];
    for (size_t at = pair->last; at < pair->end; at++) {
        int64_t state = d->fronts.state[at];
        begun += REAL(ENTERS)[state] * d->ahead[state];
    }
    *rested = d->ahead[0];
    double hub = (1 - background) * begun + background * *rested;
    double wait = (1 - stays) * begun + stays * *rested;
    int64_t word = INT(WORD_OF_TOKEN)[token];
    d->arcs.size = 0;
    for (size_t at = pair->first; at < pair->last; at++) {
        int64_t state = d->fronts.state[at];
        d->strayed[state] = REAL(TO_STRANGER)[state] * d->ahead[INT(STRANGER)[state]];
        d->ended[state] = state == 0 ? wait : REAL(ENDS)[state] * hub;
        d->later[state] = d->strayed[state] + d->ended[state];
        for (int64_t arc = first_arc(d, state, word); leads_to(d, state, arc, word); arc++) {
            double share = REAL(RATE)[arc] * d->ahead[INT(TARGET)[arc]];
            if (share == 0)
                continue;
            d->later[state] += share;
            TRY(add_arc(&d->arcs, (int64_t)at, arc, share));
        }
    }
    return true;
}

/* Count by which ways the next launch was reached. */
static void count_ways(Decoder *d, const Pair *pair, double scale, double rested)
{
    const Fronts *fronts = &d->fronts;
    double ended, resting, background = d->number[TO_BACKGROUND], stays = d->number[STAYS];
    for (size_t at = 0; at < d->arcs.size; at++)
        d->count[C_ARC].at[d->arcs.arc[at]]
            += fronts->share[d->arcs.source[at]] * scale * d->arcs.share[at];
    for (size_t at = pair->first; at < pair->last; at++) {
        int64_t state = fronts->state[at];
        d->count[C_STRAYED].at[state] += fronts->share[at] * scale * d->strayed[state];
        d->count[C_ENDED].at[state] += fronts->share[at] * scale * d->ended[state];
    }
    idle(d, pair->first, pair->last, &ended, &resting);
    double begins = ended * (1 - background) + resting * (1 - stays);
    for (size_t at = pair->last; at < pair->end; at++) {
        int64_t state = fronts->state[at];
        d->count[C_ENTERED].at[state] += begins * scale * REAL(ENTERS)[state] * d->ahead[state];
    }
    d->count[C_IDLE].at[0] += ended * scale * rested * background;
    d->count[C_IDLE].at[1] += resting * scale * rested * stays;
}

static void count_launch(Decoder *d, int64_t state, int64_t token, double share)
{
    int64_t loose = INT(LOOSE)[state], place = INT(ROW)[state] + INT(COLUMN)[token];
    if (loose == 1)
        d->count[C_BACKGROUND].at[token] += share;
    else if (loose == 2)
        d->count[C_STRANGER].at[token] += share;
    else if (place >= 0 && (size_t)place < d->count[C_EMITTED].size)
        d->count[C_EMITTED].at[place] += share;
}

static double sum_of(const Decoder *d, const Pair *pair)
{
    double total = 0.0;
    for (size_t at = pair->first; at < pair->last; at++)
        total += d->fronts.share[at] * d->later[d->fronts.state[at]];
    return total;
}

static bool back_one(Decoder *d, const Window *window, size_t step)
{
    const Fronts *fronts = &d->fronts;
    bool is_last = step + 1 == window->length;
    int64_t token = INT(TOKEN)[window->first + step], weight = INT(WEIGHT)[window->first + step];
    Pair pair = {d->begin[step], d->begin[step + 1],
                 is_last ? d->begin[step + 1] : d->begin[step + 2]};
    double rested = 0.0;
    if (is_last) {
        bool closes = INT(CLOSES)[window->number];
        for (size_t at = pair.first; at < pair.last; at++) {
            int64_t state = fronts->state[at];
            d->later[state] = closes && state != 0 ? REAL(ENDS)[state] : 1.0;
        }
    } else {
        TRY(look_ahead(d, &pair, INT(TOKEN)[window->first + step + 1], &rested));
    }
    double total = sum_of(d, &pair);
    if (total <= 0) {
        /* The next launch was no continuation: anything may end here. */
        for (size_t at = pair.first; at < pair.last; at++)
            d->later[fronts->state[at]] = 1.0;
        total = sum_of(d, &pair);
    }
    for (size_t at = pair.first; weight && at < pair.last; at++) {
        int64_t state = fronts->state[at];
        double share = fronts->share[at] * d->later[state] / total;
        if (d->counts)
            count_launch(d, state, token, share * (double)weight);
        if (d->notes && share > d->number[BEAM])
            TRY(note(&d->noted, INT(SEQUENCE)[window->number],
                     INT(ORIGIN)[window->number] + (int64_t)step, state, share));
    }
    if (d->counts && weight && !is_last && pair.first < pair.last)
        count_ways(d, &pair, (double)weight / total, rested);
    for (size_t at = pair.last; at < pair.end; at++)
        d->ahead[fronts->state[at]] = 0.0;
    for (size_t at = pair.first; at < pair.last; at++) {
        int64_t state = fronts->state[at];
        d->ahead[state] = d->later[state] / total * emitted(d, state, token)
                          * fit(d, window, step, state);
    }
    return true;
}

static bool decoded(Decoder *d)
{
    for (size_t number = 0; number < d->windows; number++) {
        size_t first = (size_t)INT(FIRST)[number];
        Window window = {number, first, (size_t)INT(FIRST)[number + 1] - first};
        TRY(forward(d, &window));
        for (size_t step = window.length; step-- > 0;)
            TRY(back_one(d, &window, step));
        for (size_t at = 0; window.length && at < d->begin[1]; at++)
            d->ahead[d->fronts.state[at]] = 0.0;
    }
    return true;
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
    static const int by_window[] = {OPENS, CLOSES, WHOLE, SEQUENCE, ORIGIN};
    for (size_t at = 0; at < sizeof by_state / sizeof *by_state; at++)
        TRY(d->integer[by_state[at]].size == d->states);
    for (size_t at = 0; at < sizeof by_window / sizeof *by_window; at++)
        TRY(d->integer[by_window[at]].size == d->windows);
    size_t launches = d->integer[TOKEN].size;
    TRY(d->integer[SETTLED].size == launches && d->integer[WEIGHT].size == launches);
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
    TRY(d->states > 0 && has_sizes(d));
    TRY(is_ragged(&integer[START], d->states, integer[TARGET].size));
    TRY(is_ragged(&integer[ENTRY_START], d->tokens, integer[ENTRY_STATE].size));
    TRY(is_ragged(&integer[BEGIN_START], d->tokens, integer[BEGIN_STATE].size));
    TRY(is_ragged(&integer[FIRST], d->windows, integer[TOKEN].size));
    TRY(lies(&integer[TARGET], 0, d->states) && lies(&integer[STRANGER], 0, d->states));
    TRY(lies(&integer[ENTRY_STATE], 0, d->states) && lies(&integer[BEGIN_STATE], 0, d->states));
    return lies(&integer[TOKEN], 0, d->tokens);
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
"Add what windows show to the sums `counts` (None: nothing is counted). Gives the bytes\n"
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
    d->windows = d->integer[ORIGIN].size;
    if (!is_sound(d)) {
        PyErr_SetString(PyExc_ValueError, "columns that do not fit together");
        goto end;
    }
    for (size_t at = 0; at < d->windows; at++) {
        size_t length = (size_t)(INT(FIRST)[at + 1] - INT(FIRST)[at]);
        d->longest = length > d->longest ? length : d->longest;
    }
    bool done;
    Py_BEGIN_ALLOW_THREADS
    done = prepared(d) && decoded(d);
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
