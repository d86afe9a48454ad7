// Kernels of a GPU. `gpu.py` says in which order they run, `reference.py` what they compute.
//
// Compiled for one width of rows at a time: TABLE is the type of a table's numbers (float,
// double or __half), REAL the type of sums, WIDTH the number of columns. LANES threads share a
// row, V vectors of 16 bytes each. No kernel uses atomics: every sum has one order, so that the
// same data give the same bits.

#ifdef HALF
#include <cuda_fp16.h>
#endif

typedef long long int64;

#define FULL 0xffffffffu
#define VEC (16 / (int)sizeof(TABLE))
#define COLUMNS (V * VEC)
#define CHUNK (LANES < 8 ? LANES : 8)
#define TOGETHER (BATCH < CHUNK ? BATCH : CHUNK)
#define EACH_COLUMN(c) _Pragma("unroll") for (int c = 0; c < COLUMNS; ++c)

__device__ __forceinline__ int column_of(int lane, int c) {
    return ((c / VEC) * LANES + lane) * VEC + c % VEC;
}

struct alignas(16) Vector { TABLE numbers[VEC]; };

// A row of a table as it is stored: the columns of this lane, or zeros.
struct Row {
    uint4 bits[V];

    __device__ __forceinline__ void load(const TABLE* row, int lane) {
#pragma unroll
        for (int i = 0; i < V; ++i) {
            int column = (i * LANES + lane) * VEC;
            bool inside = V * LANES * VEC == WIDTH || column < WIDTH;
            bits[i] = inside ? __ldg(reinterpret_cast<const uint4*>(row + column))
                             : make_uint4(0, 0, 0, 0);
        }
    }

    __device__ __forceinline__ REAL operator[](int c) const {
        return (REAL)reinterpret_cast<const Vector&>(bits[c / VEC]).numbers[c % VEC];
    }

    // Numbers in half precision are converted again when they are next used, rather than kept
    // in twice as many registers: the compiler does not know that `zero` is none.
    __device__ __forceinline__ void forget(int zero) {
#ifdef HALF
#pragma unroll
        for (int i = 0; i < V; ++i)
            bits[i].x ^= zero, bits[i].y ^= zero, bits[i].z ^= zero, bits[i].w ^= zero;
#endif
    }
};

__device__ __forceinline__ void load_row(const TABLE* row, int lane, REAL* out) {
    Row loaded;
    loaded.load(row, lane);
    EACH_COLUMN(c) out[c] = loaded[c];
}

__device__ __forceinline__ void store_row(TABLE* row, int lane, const REAL* numbers) {
#pragma unroll
    for (int i = 0; i < V; ++i) {
        int column = (i * LANES + lane) * VEC;
        if (column >= WIDTH) continue;
        Vector vector;
#pragma unroll
        for (int v = 0; v < VEC; ++v) vector.numbers[v] = (TABLE)numbers[i * VEC + v];
        *reinterpret_cast<Vector*>(row + column) = vector;
    }
}

// Sums over the lanes of a row; every lane has the result.
template <typename T> __device__ __forceinline__ T sum_lanes(T x) {
#pragma unroll
    for (int offset = LANES / 2; offset; offset /= 2) x += __shfl_xor_sync(FULL, x, offset);
    return x;
}

template <typename T> __device__ __forceinline__ T max_lanes(T x) {
#pragma unroll
    for (int offset = LANES / 2; offset; offset /= 2)
        x = max(x, __shfl_xor_sync(FULL, x, offset));
    return x;
}

__device__ __forceinline__ int max_warp(int x) {
#pragma unroll
    for (int offset = 16; offset; offset /= 2) x = max(x, __shfl_xor_sync(FULL, x, offset));
    return x;
}

__device__ __forceinline__ float quotient(float x, float y) { return __fdividef(x, y); }
__device__ __forceinline__ double quotient(double x, double y) { return x / y; }

// Non-zeros of a document as lanes hold them: CHUNK at a time, one a lane. Those past the end
// are none of the first word, so that no lane waits at a branch.
struct Held {
    int word;
    REAL count;
};

__device__ __forceinline__ Held hold(
    const int* indices, const REAL* data, int64 at, int64 end, int lane
) {
    bool mine = lane < CHUNK && at + lane < end;
    Held held;
    held.word = mine ? __ldcs(indices + at + lane) : 0;
    held.count = mine ? __ldcs(data + at + lane) : (REAL)0;
    return held;
}

// One document's words: adds ratio times word to `gained`, and the log-likelihood of the words
// of this lane. Chunks begin at `at` and are `step` non-zeros apart; all lanes of a warp make
// as many `rounds`. With `places`, the ratio of each non-zero is written to its place.
__device__ __forceinline__ void gain_of_words(
    const int* indices, const REAL* data, int64 at, int64 end, int step, int rounds, int lane,
    const TABLE* phi, const REAL* mix, REAL* gained, double* log_likelihood,
    const int* places, REAL* ratios
) {
    int zero = rounds >> 31;
    Held next = hold(indices, data, at, end, lane);
    for (int round = 0; round < rounds; ++round, at += step) {
        Held held = next;
        next = hold(indices, data, at + step, end, lane);
        REAL my_p = 1, my_ratio = 0;
#pragma unroll 1
        for (int i = 0; i < CHUNK; i += TOGETHER) {  // so many rows are on their way at a time
            Row rows[TOGETHER];
            REAL p[TOGETHER], ratio[TOGETHER];
#pragma unroll
            for (int b = 0; b < TOGETHER; ++b) {
                int word = __shfl_sync(FULL, held.word, i + b, LANES);
                rows[b].load(phi + (int64)word * WIDTH, lane);
            }
#pragma unroll
            for (int b = 0; b < TOGETHER; ++b) {
                REAL parts[VEC] = {};
                EACH_COLUMN(c) parts[c % VEC] += mix[c] * rows[b][c];
                p[b] = parts[0];
#pragma unroll
                for (int v = 1; v < VEC; ++v) p[b] += parts[v];
            }
#pragma unroll
            for (int offset = LANES / 2; offset; offset /= 2)
#pragma unroll
                for (int b = 0; b < TOGETHER; ++b)
                    p[b] += __shfl_xor_sync(FULL, p[b], offset);
#pragma unroll
            for (int b = 0; b < TOGETHER; ++b) {
                REAL count = __shfl_sync(FULL, held.count, i + b, LANES);
                ratio[b] = p[b] > 0 ? quotient(count, p[b]) : (REAL)0;
                if (lane == i + b) my_p = p[b], my_ratio = ratio[b];
            }
#pragma unroll
            for (int b = 0; b < TOGETHER; ++b) {
                rows[b].forget(zero);
                EACH_COLUMN(c) gained[c] += ratio[b] * rows[b][c];
            }
        }
        if (lane < CHUNK && at + lane < end) {
            if (places) ratios[__ldcs(places + at + lane)] = my_ratio;
            *log_likelihood += (double)held.count * log(my_p);
        }
    }
}

// The new mix of a document: the normalised product, or the old one where that is zero.
__device__ __forceinline__ void new_mix(const REAL* mix, REAL* gained) {
    REAL total = 0;
    EACH_COLUMN(c) total += mix[c] * gained[c];
    total = sum_lanes(total);
    EACH_COLUMN(c) gained[c] = total > 0 ? mix[c] * gained[c] / total * (REAL)SCALE : mix[c];
}

// Pass one of PLSA: LANES lanes a document, documents in `order`.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) document_pass(
    int n_documents, const int* order, const int64* indptr, const int* indices,
    const REAL* data, const int* places, const TABLE* theta, const TABLE* phi, REAL* ratios,
    TABLE* new_theta, double* log_likelihood
) {
    int lane = threadIdx.x % LANES;
    int slot = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    bool active = slot < n_documents;
    int d = active ? order[slot] : 0;
    int64 start = active ? indptr[d] : 0, end = active ? indptr[d + 1] : 0;
    int rounds = max_warp((int)((end - start + CHUNK - 1) / CHUNK));
    REAL mix[COLUMNS], gained[COLUMNS];
    load_row(theta + (int64)d * WIDTH, lane, mix);
    EACH_COLUMN(c) gained[c] = 0;
    double logs = 0;
    gain_of_words(
        indices, data, start, end, CHUNK, rounds, lane, phi, mix, gained, &logs, places, ratios
    );
    new_mix(mix, gained);
    logs = sum_lanes(logs);
    if (active) {
        store_row(new_theta + (int64)d * WIDTH, lane, gained);
        if (lane == 0) log_likelihood[d] = logs;
    }
}

// The same for long documents: a block of threads a document.
extern "C" __global__ void __launch_bounds__(THREADS) long_document_pass(
    int n_documents, const int* order, const int64* indptr, const int* indices,
    const REAL* data, const int* places, const TABLE* theta, const TABLE* phi, REAL* ratios,
    TABLE* new_theta, double* log_likelihood
) {
    __shared__ REAL all[WIDTH];
    __shared__ double all_logs;
    int lane = threadIdx.x % LANES, group = threadIdx.x / LANES, n_groups = blockDim.x / LANES;
    int d = order[blockIdx.x];
    int64 start = indptr[d], end = indptr[d + 1];
    int step = n_groups * CHUNK, rounds = (int)((end - start + step - 1) / step);
    REAL mix[COLUMNS], gained[COLUMNS];
    load_row(theta + (int64)d * WIDTH, lane, mix);
    EACH_COLUMN(c) gained[c] = 0;
    double logs = 0;
    gain_of_words(
        indices, data, start + group * CHUNK, end, step, rounds, lane, phi, mix, gained, &logs,
        places, ratios
    );
    logs = sum_lanes(logs);
    for (int turn = 0; turn < n_groups; ++turn) {
        if (turn == group) {
            EACH_COLUMN(c) {
                int column = column_of(lane, c);
                if (column < WIDTH) all[column] = gained[c] + (turn ? all[column] : (REAL)0);
            }
            if (lane == 0) all_logs = logs + (turn ? all_logs : 0.0);
        }
        __syncthreads();
    }
    EACH_COLUMN(c) {
        int column = column_of(lane, c);
        gained[c] = column < WIDTH ? all[column] : (REAL)0;
    }
    new_mix(mix, gained);
    if (group == 0) {
        store_row(new_theta + (int64)d * WIDTH, lane, gained);
        if (lane == 0) log_likelihood[d] = all_logs;
    }
}

// Pass two, of PLSA and of the mixture: LANES lanes a segment of one word's non-zeros in one
// block of documents. A word with one segment gets its sum at once, as nobody else writes to it
// in this launch; segments of others write their sums to rows of `partials`.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_WORDS) word_pass(
    int n_segments, const int* starts, const int* lengths, const int* words, const int* targets,
    const int* rows, const REAL* weights, const TABLE* table, REAL* out, REAL* partials
) {
    int lane = threadIdx.x % LANES;
    int slot = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    bool active = slot < n_segments;
    int start = active ? starts[slot] : 0, length = active ? lengths[slot] : 0;
    int rounds = max_warp((length + CHUNK - 1) / CHUNK);
    REAL sum[COLUMNS];
    EACH_COLUMN(c) sum[c] = 0;
    for (int round = 0; round < rounds; ++round) {
        int at = round * CHUNK + lane;
        bool mine = lane < CHUNK && at < length;
        int row = mine ? __ldcs(rows + start + at) : 0;
        REAL weight = mine ? weights[start + at] : (REAL)0;
#pragma unroll UNROLL_WORDS
        for (int i = 0; i < CHUNK; ++i) {
            int d = __shfl_sync(FULL, row, i, LANES);
            REAL w = __shfl_sync(FULL, weight, i, LANES);
            REAL values[COLUMNS];
            load_row(table + (int64)d * WIDTH, lane, values);
            EACH_COLUMN(c) sum[c] += w * values[c];
        }
    }
    if (!active) return;
    int target = targets[slot];
    bool alone = target < 0;
    REAL* to = alone ? out + (int64)words[slot] * WIDTH : partials + (int64)target * WIDTH;
#pragma unroll
    for (int i = 0; i < COLUMNS * (int)sizeof(REAL) / 16; ++i) {
        constexpr int n = 16 / sizeof(REAL);
        int column = column_of(lane, i * n);
        if (column >= WIDTH) continue;
        struct alignas(16) Sums { REAL numbers[n]; };
        Sums sums;
        Sums* place = reinterpret_cast<Sums*>(to + column);
        if (alone) sums = *place;
#pragma unroll
        for (int v = 0; v < n; ++v)
            sums.numbers[v] = alone ? sums.numbers[v] + sum[i * n + v] : sum[i * n + v];
        *place = sums;
    }
}

// Sums of the segments of one word: a block of 32 columns by 8 rows of threads.
extern "C" __global__ void __launch_bounds__(256) add_partials(
    const int* words, const int* firsts, const int* counts, const REAL* partials, REAL* out
) {
    __shared__ REAL sums[8][32];
    int first = firsts[blockIdx.x], last = first + counts[blockIdx.x];
    int column = blockIdx.y * 32 + threadIdx.x;
    REAL sum = 0;
    if (column < WIDTH) {
#pragma unroll 4
        for (int row = first + threadIdx.y; row < last; row += 8)
            sum += __ldcs(partials + (int64)row * WIDTH + column);
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y || column >= WIDTH) return;
#pragma unroll
    for (int y = 1; y < 8; ++y) sum += sums[y][threadIdx.x];
    out[(int64)words[blockIdx.x] * WIDTH + column] += sum;
}

// Rows of words in half precision, each scaled to a largest number of SCALE: a warp a row. What
// scaling takes from the log-likelihood of each word is written too.
extern "C" __global__ void __launch_bounds__(THREADS) halve(
    int n_rows, const REAL* table, const double* totals, TABLE* out, double* logs
) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n_rows) return;
    const REAL* from = table + (int64)row * WIDTH;
    REAL largest = 0;
    for (int column = lane; column < WIDTH; column += 32) largest = max(largest, from[column]);
#pragma unroll
    for (int offset = 16; offset; offset /= 2)
        largest = max(largest, __shfl_xor_sync(FULL, largest, offset));
    REAL factor = (REAL)SCALE / (largest > 0 ? largest : (REAL)1);
    for (int column = lane; column < WIDTH; column += 32)
        out[(int64)row * WIDTH + column] = (TABLE)(from[column] * factor);
    if (lane == 0) logs[row] = totals[row] > 0 ? -totals[row] * log((double)factor * SCALE) : 0.0;
}

// Mixes of new documents under fixed topics: a warp a document, which stops by itself.
extern "C" __global__ void __launch_bounds__(THREADS) fold_pass(
    int n_documents, const int* order, const int64* indptr, const int* indices,
    const REAL* data, const TABLE* phi, int n_topics, int max_iter, double tol, TABLE* theta,
    double* log_likelihood
) {
    int slot = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (slot >= n_documents) return;
    int d = order[slot];
    int lane = threadIdx.x % LANES, group = threadIdx.x % 32 / LANES;
    int64 start = indptr[d], end = indptr[d + 1], mine = start + group * CHUNK;
    int step = 32 / LANES * CHUNK, rounds = (int)((end - start + step - 1) / step);
    REAL mix[COLUMNS], gained[COLUMNS];
    double logs = 0;
    EACH_COLUMN(c) mix[c] = column_of(lane, c) < n_topics ? (REAL)1 / n_topics : (REAL)0;
    for (int iteration = 0; iteration < max_iter; ++iteration) {
        EACH_COLUMN(c) gained[c] = 0;
        gain_of_words(
            indices, data, mine, end, step, rounds, lane, phi, mix, gained, &logs, 0, 0
        );
        EACH_COLUMN(c) {
#pragma unroll
            for (int offset = LANES; offset < 32; offset *= 2)
                gained[c] += __shfl_xor_sync(FULL, gained[c], offset);
        }
        new_mix(mix, gained);
        REAL moved = 0;
        EACH_COLUMN(c) {
            moved = max(moved, (REAL)fabs(gained[c] - mix[c]));
            mix[c] = gained[c];
        }
        if (max_lanes(moved) <= tol) break;
    }
    logs = 0;
    gain_of_words(indices, data, mine, end, step, rounds, lane, phi, mix, gained, &logs, 0, 0);
#pragma unroll
    for (int offset = 16; offset; offset /= 2) logs += __shfl_xor_sync(FULL, logs, offset);
    if (group == 0) store_row(theta + (int64)d * WIDTH, lane, mix);
    if (threadIdx.x % 32 == 0) log_likelihood[d] = logs;
}

// One document's words times their logarithms, added in double precision.
__device__ __forceinline__ void joint_of_words(
    const int* indices, const REAL* data, int64 at, int64 end, int step, int rounds, int lane,
    const TABLE* log_beta, double* joint
) {
    Held next = hold(indices, data, at, end, lane);
    for (int round = 0; round < rounds; ++round, at += step) {
        Held held = next;
        next = hold(indices, data, at + step, end, lane);
#pragma unroll 2
        for (int i = 0; i < CHUNK; ++i) {
            int word = __shfl_sync(FULL, held.word, i, LANES);
            double count = __shfl_sync(FULL, held.count, i, LANES);
            REAL values[COLUMNS];
            load_row(log_beta + (int64)word * WIDTH, lane, values);
            EACH_COLUMN(c) joint[c] += count * (double)values[c];
        }
    }
}

// Posteriors of a document from its log-probabilities, which they replace: its objective.
__device__ __forceinline__ double posteriors_of(double* joint, int lane, int hard) {
    double top = -1.7976931348623157e308;
    int best = WIDTH;
    EACH_COLUMN(c) {
        int column = column_of(lane, c);
        if (column < WIDTH && joint[c] > top) top = joint[c], best = column;
    }
#pragma unroll
    for (int offset = LANES / 2; offset; offset /= 2) {
        double other = __shfl_xor_sync(FULL, top, offset);
        int at = __shfl_xor_sync(FULL, best, offset);
        if (other > top || (other == top && at < best)) top = other, best = at;
    }
    double total = 0;
    EACH_COLUMN(c) {
        int column = column_of(lane, c);
        joint[c] = column >= WIDTH ? 0.0 : hard ? (column == best ? 1.0 : 0.0) : exp(joint[c] - top);
        total += joint[c];
    }
    total = sum_lanes(total);
    EACH_COLUMN(c) joint[c] /= total;
    return top + log(total);
}

__device__ __forceinline__ void store_posteriors(
    int d, int lane, bool is_empty, const double* joint, double objective, TABLE* posterior,
    double* objectives
) {
    REAL q[COLUMNS];
    EACH_COLUMN(c) q[c] = is_empty ? (REAL)0 : (REAL)joint[c];
    store_row(posterior + (int64)d * WIDTH, lane, q);
    if (lane == 0) objectives[d] = is_empty ? 0.0 : objective;
}

// Pass one of the mixture: LANES lanes a document.
extern "C" __global__ void __launch_bounds__(THREADS) posterior_pass(
    int n_documents, const int* order, const int64* indptr, const int* indices,
    const REAL* data, const double* log_alpha, const TABLE* log_beta, int hard,
    TABLE* posterior, double* objectives
) {
    int lane = threadIdx.x % LANES;
    int slot = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    bool active = slot < n_documents;
    int d = active ? order[slot] : 0;
    int64 start = active ? indptr[d] : 0, end = active ? indptr[d + 1] : 0;
    int rounds = max_warp((int)((end - start + CHUNK - 1) / CHUNK));
    double joint[COLUMNS];
    EACH_COLUMN(c) {
        int column = column_of(lane, c);
        joint[c] = column < WIDTH ? log_alpha[column] : 0.0;
    }
    joint_of_words(indices, data, start, end, CHUNK, rounds, lane, log_beta, joint);
    double objective = posteriors_of(joint, lane, hard);
    if (active)
        store_posteriors(d, lane, start == end, joint, objective, posterior, objectives);
}

// The same for long documents: a block of threads a document.
extern "C" __global__ void __launch_bounds__(THREADS) long_posterior_pass(
    int n_documents, const int* order, const int64* indptr, const int* indices,
    const REAL* data, const double* log_alpha, const TABLE* log_beta, int hard,
    TABLE* posterior, double* objectives
) {
    __shared__ double all[WIDTH];
    int lane = threadIdx.x % LANES, group = threadIdx.x / LANES, n_groups = blockDim.x / LANES;
    int d = order[blockIdx.x];
    int64 start = indptr[d], end = indptr[d + 1];
    int step = n_groups * CHUNK, rounds = (int)((end - start + step - 1) / step);
    double joint[COLUMNS];
    EACH_COLUMN(c) joint[c] = 0;
    int64 mine = start + group * CHUNK;
    joint_of_words(indices, data, mine, end, step, rounds, lane, log_beta, joint);
    for (int turn = 0; turn < n_groups; ++turn) {
        if (turn == group) {
            EACH_COLUMN(c) {
                int column = column_of(lane, c);
                if (column < WIDTH)
                    all[column] = joint[c] + (turn ? all[column] : log_alpha[column]);
            }
        }
        __syncthreads();
    }
    EACH_COLUMN(c) {
        int column = column_of(lane, c);
        joint[c] = column < WIDTH ? all[column] : 0.0;
    }
    double objective = posteriors_of(joint, lane, hard);
    if (group == 0) store_posteriors(d, lane, false, joint, objective, posterior, objectives);
}

// Sums of columns in double precision, of some rows a block: 32 columns by 8 rows of threads.
extern "C" __global__ void __launch_bounds__(256) column_sums(
    int n_rows, int width, const REAL* table, double* sums
) {
    __shared__ double parts[8][32];
    int column = blockIdx.x * 32 + threadIdx.x;
    double sum = 0;
    if (column < width)
        for (int row = blockIdx.y * 8 + threadIdx.y; row < n_rows; row += gridDim.y * 8)
            sum += (double)table[(int64)row * width + column];
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && column < width) {
        for (int y = 1; y < 8; ++y) sum += parts[y][threadIdx.x];
        sums[(int64)blockIdx.y * width + column] = sum;
    }
}

// Columns over their sums; the first `n_columns` become uniform where they are zero.
extern "C" __global__ void __launch_bounds__(THREADS) divide_columns(
    int64 n_numbers, int n_rows, int width, int n_columns, const double* sums, REAL* table
) {
    int64 at = (int64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n_numbers) return;
    int column = (int)(at % width);
    double sum = sums[column];
    if (sum != 0) table[at] = (REAL)((double)table[at] / sum);
    else if (column < n_columns) table[at] = (REAL)(1.0 / n_rows);
}

// Rows of a sparse matrix times a dense one, by sums or by maxima of zero or more: a block of
// threads a row and 512 columns.
extern "C" __global__ void __launch_bounds__(128) multiply(
    int first, int width, const int64* indptr, const int* indices, const REAL* data,
    const REAL* dense, int largest, REAL* out
) {
    int left = blockIdx.y * 512 + threadIdx.x, row = first + blockIdx.x;
    REAL sum[4] = {0, 0, 0, 0};
    int64 end = indptr[row + 1];
#pragma unroll 4
    for (int64 at = indptr[row]; at < end; ++at) {
        REAL x = data[at];
        const REAL* line = dense + (int64)indices[at] * width;
#pragma unroll
        for (int v = 0; v < 4; ++v) {
            int column = left + 128 * v;
            REAL product = column < width ? x * __ldg(line + column) : (REAL)0;
            sum[v] = largest ? max(sum[v], product) : sum[v] + product;
        }
    }
#pragma unroll
    for (int v = 0; v < 4; ++v) {
        int column = left + 128 * v;
        if (column < width) out[(int64)blockIdx.x * width + column] = sum[v];
    }
}

// A table of words by clusters by topics, summed over topics.
extern "C" __global__ void __launch_bounds__(THREADS) mix_topics(
    int64 n_pairs, int n_clusters, int n_topics, const ENTRY* table, const REAL* weights,
    REAL* out
) {
    int64 at = (int64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n_pairs) return;
    const REAL* weight = weights + (at % n_clusters) * n_topics;
    REAL sum = 0;
    for (int b = 0; b < n_topics; ++b) sum += (REAL)table[at * n_topics + b] * weight[b];
    out[at] = sum;
}

// The same table summed over some words a block.
extern "C" __global__ void __launch_bounds__(THREADS) sum_words(
    int n_words, int n_clusters, int n_topics, const ENTRY* table, const REAL* weights,
    double* sums
) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x, n_pairs = n_clusters * n_topics;
    if (pair >= n_pairs) return;
    double sum = 0;
    for (int w = blockIdx.y; w < n_words; w += gridDim.y)
        sum += (double)weights[(int64)w * n_clusters + pair / n_topics]
               * (double)table[(int64)w * n_pairs + pair];
    sums[(int64)blockIdx.y * n_pairs + pair] = sum;
}
