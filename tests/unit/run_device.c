/* Devices: the list, opening, what goes wrong. */
#include "run_test.h"

static void list(void)
{
    static const lw_bounds_mode bounds[] = {LW_BOUNDS_DEFAULT, LW_BOUNDS_OFF, LW_BOUNDS_ALWAYS,
                                            LW_BOUNDS_ALWAYS, LW_BOUNDS_OFF};
    lw_device_info info[5];
    size_t count = lw_device_list(NULL, 0);

    unsetenv("LANEWISE_BOUNDS");
    CHECK(count == 5 && lw_device_list(info, 1) == 5 && lw_device_list(info, 5) == 5);
    CHECK(!strcmp(info[0].name, "cpu") && !strcmp(info[1].name, "cuda"));
    CHECK(!strcmp(info[2].name, "ref") && !strcmp(info[3].name, "check"));
    CHECK(!strcmp(info[4].name, "null"));
    CHECK(!info[1].available && !strcmp(info[1].description, "NVIDIA GPUs"));
    CHECK(strstr(info[1].unavailable,
                 "LANEWISE_CUDA_DRIVER is '/dev/null'; need the path of a library: ") ==
          info[1].unavailable);
    for (size_t i = 0; i < count; i++) {
        CHECK(i == 1 || (info[i].available && !strcmp(info[i].unavailable, "")));
        CHECK(info[i].max_shared_bytes == 48 << 10 && info[i].max_dynamic_bytes >= 96 << 10);
        CHECK(info[i].max_print_bytes == 1 << 20 && info[i].description[0]);
        CHECK(info[i].bounds == bounds[i]);
    }
}

static void opening(void)
{
    lw_device *d = open_device(NULL);
    lw_device_info info;

    WORKS(lw_device_get_info(d, &info));
    CHECK(!strcmp(info.name, "cpu") && info.available);
    lw_device_close(d);
    lw_device_close(NULL);
    FAILS(lw_device_open("cpuu", &d), LW_E_DEVICE,
          "there is no device 'cpuu'; this library has cpu, cuda, ref, check, null");
    CHECK(!d);
    FAILS(lw_device_open("ref:0", &d), LW_E_DEVICE,
          "there is no device 'ref:0'; this library has cpu, cuda, ref, check, null");
    FAILS(lw_device_open("", &d), LW_E_DEVICE,
          "there is no device ''; this library has cpu, cuda, ref, check, null");
    FAILS(lw_device_open("ref", NULL), LW_E_ARG, "the place for the device is NULL");
    FAILS(lw_device_get_info(NULL, &info), LW_E_ARG, "the device is NULL");
}

static void traits(void)
{
    lw_device *checker = open_device("check"), *ref = open_device("ref");

    CHECK(lw_device_has_findings(checker) && !lw_device_has_findings(ref));
    CHECK(!lw_device_is_gpu(ref) && lw_device_vector_bits(ref) == 0);
    CHECK(!lw_device_has_findings(NULL) && !lw_device_is_gpu(NULL) && !lw_device_vector_bits(NULL));
    lw_device_close(checker);
    lw_device_close(ref);
}

int main(void)
{
    setenv("LANEWISE_CUDA_DRIVER", "/dev/null", 1);
    list();
    opening();
    traits();
    return failures != 0;
}
