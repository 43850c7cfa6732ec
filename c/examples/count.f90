! Pairs of a lattice in a periodic box. gfortran count.f90 $(pkg-config --libs albireo) -o count && ./count
module albireo
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: albireo_sample
    integer(c_size_t) :: struct_size = 0, n = 0
    integer(c_int32_t) :: float_type = 0, coordinates = 0
    type(c_ptr) :: x = c_null_ptr, y = c_null_ptr, z = c_null_ptr
    integer(c_ptrdiff_t) :: stride = 1
    type(c_ptr) :: weights = c_null_ptr
    integer(c_ptrdiff_t) :: weights_stride = 1
    type(c_ptr) :: labels = c_null_ptr
    integer(c_int32_t) :: n_labels = 0, words = 0
    type(c_ptr) :: bits = c_null_ptr, groups = c_null_ptr
  end type

  type, bind(c) :: albireo_job
    integer(c_size_t) :: struct_size = 0
    integer(c_int32_t) :: statistic = 0, los = 0
    type(c_ptr) :: edges = c_null_ptr
    integer(c_size_t) :: n_edges = 0
    type(c_ptr) :: second_edges = c_null_ptr
    integer(c_size_t) :: n_second_edges = 0
    integer(c_int32_t) :: box_kind = 0, wrap = 0
    real(c_double) :: box(9) = 0
    integer(c_int32_t) :: classes = 0, sums = 0, legendre = 0, engine = 0, threads = 0, cuts = 0
    real(c_double) :: theta_cut(2) = 0, rp_cut(2) = 0
    integer(c_int32_t) :: pip_realizations = 0, pip_offset = 0, pip_always = 0, pip_total = 0
    real(c_double) :: pip_default = 0
    type(c_ptr) :: angular_theta = c_null_ptr, angular_factors = c_null_ptr
    integer(c_size_t) :: n_angular = 0
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  interface
    integer(c_int32_t) function albireo_particles_new(sample, particles) bind(c)
      import; type(albireo_sample), intent(in) :: sample; type(c_ptr), intent(out) :: particles
    end function
    integer(c_int32_t) function albireo_count(job, first, second, counts) bind(c)
      import; type(albireo_job), intent(in) :: job; type(c_ptr), value :: first, second; type(c_ptr), intent(out) :: counts
    end function
    integer(c_int32_t) function albireo_counts_pairs(counts, pairs, length) bind(c)
      import; type(c_ptr), value :: counts; integer(c_int64_t), intent(out) :: pairs(*); integer(c_size_t), value :: length
    end function
    integer(c_int32_t) function albireo_counts_free(counts) bind(c)
      import; type(c_ptr), value :: counts
    end function
    integer(c_int32_t) function albireo_particles_free(particles) bind(c)
      import; type(c_ptr), value :: particles
    end function
    type(c_ptr) function albireo_error_text() bind(c)
      import
    end function
  end interface

contains

  subroutine check(code)
    integer(c_int32_t), intent(in) :: code
    character(kind=c_char), pointer :: text(:)
    integer :: length
    if (code == 0) return
    call c_f_pointer(albireo_error_text(), text, [512])
    length = findloc(text, c_null_char, 1) - 1
    print *, 'albireo: ', text(:length)
    error stop
  end subroutine
end module

program count
  use albireo
  implicit none
  integer, parameter :: side = 12
  real(c_double), target :: xyz(3, side**3), edges(4) = [0.5d0, 1.1d0, 1.5d0, 2.1d0]
  integer(c_int64_t) :: pairs(3)
  type(albireo_sample) :: sample
  type(albireo_job) :: job
  type(c_ptr) :: particles, counts
  integer :: i, j, k

  do concurrent (i = 0:side - 1, j = 0:side - 1, k = 0:side - 1)
    xyz(:, 1 + i + side * (j + side * k)) = [real(c_double) :: i, j, k]
  end do
  sample%struct_size = c_sizeof(sample)
  sample%n = side**3
  sample%x = c_loc(xyz(1, 1)); sample%y = c_loc(xyz(2, 1)); sample%z = c_loc(xyz(3, 1))
  sample%stride = 3
  call check(albireo_particles_new(sample, particles))
  job%struct_size = c_sizeof(job)
  job%edges = c_loc(edges); job%n_edges = 4
  job%box_kind = 1; job%box(1:3) = side
  call check(albireo_count(job, particles, c_null_ptr, counts))
  call check(albireo_counts_pairs(counts, pairs, 3_c_size_t))
  print '(3(i0, 1x))', pairs
  call check(albireo_counts_free(counts))
  call check(albireo_particles_free(particles))
end program
