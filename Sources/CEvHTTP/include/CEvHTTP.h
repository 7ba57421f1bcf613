#ifndef CEVHTTP_H
#define CEVHTTP_H
const char *sbx_libevent_version(void);
#endif
