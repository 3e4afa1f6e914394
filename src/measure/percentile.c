/// A percentile by selection, without sorting.
#include "measure/parts.h"

/// Quickselect: values[k] becomes the one sorting would put there, with nothing larger before and nothing smaller after.
static float select_value(float *v, int count, int k)
{
    int low = 0, high = count - 1;
    while (low < high) {
        float pivot = v[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (pivot < v[j])
                j--;
            if (i <= j) {
                float swap = v[i];
                v[i++] = v[j];
                v[j--] = swap;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return v[k];
}

double pelti_measure_percentile(float *values, int count, double percent)
{
    if (count <= 0)
        return NAN;
    double at = percent / 100 * (count - 1);
    int k = (int)at;
    double low = (double)select_value(values, count, k), share = at - k;
    if (share <= 0 || k + 1 >= count)
        return low;
    float next = values[k + 1];
    for (int i = k + 2; i < count; i++)
        next = values[i] < next ? values[i] : next;
    return low + share * ((double)next - low);
}
