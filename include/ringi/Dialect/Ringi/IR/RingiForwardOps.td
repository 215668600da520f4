#ifndef RINGI_FORWARD_OPS
#define RINGI_FORWARD_OPS
include "ringi/Dialect/Ringi/IR/RingiOpBase.td"
#endif // RINGI_FORWARD_OPS
