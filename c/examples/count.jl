# Pairs of a lattice in a periodic box: julia count.jl, with libalbireo where the loader finds it (or ALBIREO_LIBRARY naming it).
const lib = get(ENV, "ALBIREO_LIBRARY", "libalbireo")

Base.@kwdef struct Sample
    struct_size::Csize_t = sizeof(Sample)
    n::Csize_t
    float_type::Int32 = 0
    coordinates::Int32 = 0
    x::Ptr{Cvoid}
    y::Ptr{Cvoid}
    z::Ptr{Cvoid}
    stride::Cptrdiff_t = 1
    weights::Ptr{Cvoid} = C_NULL
    weights_stride::Cptrdiff_t = 1
    labels::Ptr{UInt32} = C_NULL
    n_labels::UInt32 = 0
    words::UInt32 = 0
    bits::Ptr{UInt64} = C_NULL
    groups::Ptr{UInt32} = C_NULL
end

Base.@kwdef struct Job
    struct_size::Csize_t = sizeof(Job)
    statistic::Int32 = 0
    los::Int32 = 0
    edges::Ptr{Float64}
    n_edges::Csize_t
    second_edges::Ptr{Float64} = C_NULL
    n_second_edges::Csize_t = 0
    box_kind::Int32 = 0
    wrap::Int32 = 0
    box::NTuple{9,Float64} = ntuple(_ -> 0.0, 9)
    classes::Int32 = 0
    sums::UInt32 = 0
    legendre::UInt32 = 0
    engine::Int32 = 0
    threads::UInt32 = 0
    cuts::UInt32 = 0
    theta_cut::NTuple{2,Float64} = (0.0, 0.0)
    rp_cut::NTuple{2,Float64} = (0.0, 0.0)
    pip_realizations::UInt32 = 0
    pip_offset::UInt32 = 0
    pip_always::Int32 = 0
    pip_total::Int32 = 0
    pip_default::Float64 = 0
    angular_theta::Ptr{Float64} = C_NULL
    angular_factors::Ptr{Float64} = C_NULL
    n_angular::Csize_t = 0
    progress::Ptr{Cvoid} = C_NULL
    user::Ptr{Cvoid} = C_NULL
end

check(code) = code == 0 || error(unsafe_string(ccall((:albireo_error_text, lib), Cstring, ())))

"Numbers of pairs of the columns of a 3 x N matrix in a cubic box."
function pairs(xyz::Matrix{Float64}, edges::Vector{Float64}, side)
    handle, counts = Ref{Ptr{Cvoid}}(), Ref{Ptr{Cvoid}}()
    made = zeros(UInt64, length(edges) - 1)
    GC.@preserve xyz edges begin
        start = Ptr{Cvoid}(pointer(xyz))
        sample = Ref(Sample(n = size(xyz, 2), x = start, y = start + 8, z = start + 16, stride = 3))
        check(ccall((:albireo_particles_new, lib), Int32, (Ref{Sample}, Ref{Ptr{Cvoid}}), sample, handle))
        box = ntuple(k -> k <= 3 ? Float64(side) : 0.0, 9)
        job = Ref(Job(edges = pointer(edges), n_edges = length(edges), box_kind = 1, box = box))
        check(ccall((:albireo_count, lib), Int32, (Ref{Job}, Ptr{Cvoid}, Ptr{Cvoid}, Ref{Ptr{Cvoid}}), job, handle[], C_NULL, counts))
    end
    check(ccall((:albireo_counts_pairs, lib), Int32, (Ptr{Cvoid}, Ptr{UInt64}, Csize_t), counts[], made, length(made)))
    check(ccall((:albireo_counts_free, lib), Int32, (Ptr{Cvoid},), counts[]))
    check(ccall((:albireo_particles_free, lib), Int32, (Ptr{Cvoid},), handle[]))
    made
end

side = 12
xyz = hcat([Float64[i, j, k] for i in 0:side-1 for j in 0:side-1 for k in 0:side-1]...)
println(join(Int.(pairs(xyz, [0.5, 1.1, 1.5, 2.1], side)), " "))
