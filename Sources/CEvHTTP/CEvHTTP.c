#include "CEvHTTP.h"
#include <event2/event.h>
const char *sbx_libevent_version(void) { return event_get_version(); }
