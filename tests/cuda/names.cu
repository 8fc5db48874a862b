// Kernels are named as C++ names them: templates with their arguments, namespaces, overloads with
// types; blanks do not count. An instance that nobody launches is built when it is asked for.
// run: -k 'scale<float, 2>' -b 4 'f32[4]=iota'
// expect: x: f32[4] = [0.0, 2.0, 4.0, 6.0]
// run: -k 'scale<int,3>' -b 4 'i32[4]=iota'
// expect: x: i32[4] = [0, 3, 6, 9]
// run: -k 'scale<int>' -b 4 'i32[4]=iota'
// expect: x: i32[4] = [0, 5, 10, 15]
// run: -k 'inner::deep::mode<inner::fast>' -b 1 'i32[1]'
// expect: x: i32[1] = [1]
// run: -k 'inner::plain' -b 2 'i32[2]' '{3,{4,5,6}}'
// expect: x: i32[2] = [15, 16]
// run: -k exported -b 2 'i32[2]' '{3,{4,5,6}}'
// expect: x: i32[2] = [18, 18]
// run: -k 'over(int *)' -b 1 'i32[1]'
// expect: x: i32[1] = [2]
// run: -k 'over(float*)' -b 1 'f32[1]'
// expect: x: f32[1] = [1.0]
// run: -k 'scale<nothing>' -b 1 'i32[1]'
// status: 2
// stderr: there is no kernel 'scale<nothing>'
// stderr: inner::deep::mode<(inner::speed)1>
// stderr: 'nothing'
template <class T, int BY = 5> __global__ void scale(T *x) { x[threadIdx.x] *= BY; }

namespace inner {
enum speed { slow, fast };
namespace deep {
template <speed S> __global__ void mode(int *x) { x[0] = S == fast; }
}
}

struct three {
    float scale;
    int more[3];
};
namespace inner {
__global__ void plain(int *x, three by) { x[threadIdx.x] = by.scale * by.more[1] + threadIdx.x; }
}
extern "C" {
__global__ void exported(int *x, three by) { x[threadIdx.x] = by.scale * by.more[2]; }
}

__global__ void over(float *x) { x[0] = 1; }
__global__ void over(int *x) { x[0] = 2; }

int main()
{
    float *x = nullptr;
    scale<float, 2><<<1, 4>>>(x);
    inner::deep::mode<inner::fast><<<1, 1>>>((int *)x);
}
