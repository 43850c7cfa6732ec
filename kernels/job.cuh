// What a launch is told. Twin: src/engine/cuda/layout.rs, field by field.
#pragma once
#include "device.cuh"

namespace albireo {

// A sample on the device, in the order the traversal wants it.
struct Sample {
    const double* x;
    const double* y;
    const double* z;
    const double* weight;  // factors in [-1, 1], or null
    const uint4* fixed;    // fractions of the frame, 2^32 to its length, or float offsets from its centre; w is unused
    const u32* start;      // first row of each cell, one entry more than there are cells
    u64 rows;
};

// Bins along one coordinate: the edges, and what the filter makes of them (filter.rs derives every number).
struct Axis {
    const double* values;
    const double* squares;
    const uint2* table;   // arbitrary edges: (edge, margin in the upper and edges below in the lower half)
    double guess_scale;   // first guess at the bin: root * scale + offset
    double guess_offset;
    u32 bins;
    u32 closed_low;       // values below the first edge belong to the first bin
    u32 closed_high;      // values at or above the last edge belong to the last bin
    u32 shift;            // fraction bits of a slot
    u32 mask;             // along: the fraction bits; across: those of them that are all zero too near an edge, and only there
    u32 doubt;            // fractions below this are too near an edge
    u32 key_shift;
    u32 key_low;
    u32 key_high;
    float scale;
    float magic;          // 2^23 plus the offset: the sum's mantissa is the slot in fixed point
    float low;            // clamps that keep the slot in [0, bins + 1]
    float high;
    u32 skip;             // slots that the sums hold below slot 0
};

struct Job {
    Sample first;
    Sample second;
    Axis across;               // r, s or rp
    Axis along;                // mu or pi
    double length[3];          // periodic box; open axes have half = infinity
    double half[3];
    const double* translations;  // triclinic: 125 lattice vectors in order of preference
    double nearest2;           // an image closer than this is the nearest
    double beyond2;            // an image at least as far as this cannot be counted
    double origin[3];          // frame: position = origin + basis * fraction
    double basis[9];           // columns are the frame's vectors
    double unit;               // length to scaled length: float32 could not hold that of every unit of length
    const int4* rows;          // neighbour rows: (dy | dz << 16, low, high, part)
    const uint4* tiles;        // (first cell, number of cells, first row, past the last row)
    u64* counts;
    u64* sums;                 // two words a bin, low first
    u64* coordinates;          // likewise, of coordinates
    double coordinate_scale;   // coordinate to fixed point: a power of two
    u32* ticket;               // next tile
    u64 flush_pairs;           // pairs that the shared sums surely hold
    u32 cells[3];
    u32 periodic[3];
    u32 order;                 // 0 cross, 1 auto i < j, 2 auto i != j
    u32 n_rows;
    u32 row_parts;             // stretches that one row can fall into
    u32 bins;
    float matrix[9];           // fixed point to scaled lengths
    float floor2;              // squared separations below this are rechecked (line of sight from an observer)
    float doubt_by_inverse;    // steps of a fixed-axis cosine's doubt, times the separation
    float doubt_least;         // 2^23 and the steps of its doubt at any separation
    float sight_floor2;        // squared lines of sight below this are rechecked
    float reach2;              // squared separations above this are in no bin
    float pad;                 // where padding lies, in scaled lengths
    float sight_of_first;      // what a line of sight takes of the first point: 0 or 1
    float sight_of_second;
    u32 sight;                 // 0, 1, 2 along that axis; 3 midpoint; 4 first point; 5 end point
    u32 sign_kept;             // bits of a float kept along an observer's line of sight: all, or all but the sign
    u32 coordinate;            // 1 where the coordinate across is summed, 2 where that is an angle
    u32 own;                   // whether pairs within a cell are visited
    u32 slots;                 // sums that a block holds, those of no bin included
    u32 first_place;           // place of the first of them
    u32 flushed;               // those of them that are results; the rest is for padding
    u32 stride;                // sums from one slot across to the next
    u32 bias;                  // from the filter's numbering of slots to places among the sums
    u32 zero;                  // place of slot 0, which is no bin
    u32 gap;                   // nothing: the size is a multiple of 8
};

// The part of a job that one launch does.
struct Unit {
    u64 begin;  // first rows, or tiles
    u64 end;
    u64 chunk;  // first rows a block (all pairs)
};

#ifdef ALBIREO_JOB_BYTES
static_assert(sizeof(Job) == ALBIREO_JOB_BYTES, "Job differs from its twin on the host");
#endif

}  // namespace albireo
