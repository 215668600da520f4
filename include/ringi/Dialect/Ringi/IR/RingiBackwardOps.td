#ifndef RINGI_BACKWARD_OPS
#define RINGI_BACKWARD_OPS
include "ringi/Dialect/Ringi/IR/RingiOpBase.td"
#endif // RINGI_BACKWARD_OPS
