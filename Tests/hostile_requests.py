"""Requests that no honest client sends, and what must become of them. Used directly and behind a proxy."""

HOST = b"Host: signalbox.test\r\n"


def raw(head, body=b"", method="POST", target="/v1/flags/smuggled", host=HOST):
    """One request with those header lines."""
    return f"{method} {target} HTTP/1.1\r\n".encode() + host + head + b"\r\n" + body


#: A second request that must never be served on its own when it hides in the body of another.
HIDDEN = b"GET /v1/hidden-request HTTP/1.1\r\n" + HOST + b"\r\n"

CHUNKED = b"Transfer-Encoding: chunked\r\n"


def smuggling():
    """(name, bytes): each must be refused, or be read as exactly one request."""
    length = b"Content-Length: %d\r\n"
    ends = b"0\r\n\r\n"
    yield "CL and TE", raw(length % len(ends + HIDDEN) + CHUNKED, ends + HIDDEN)
    yield "TE and CL", raw(CHUNKED + length % 4, b"%x\r\n" % len(HIDDEN) + HIDDEN + b"\r\n" + ends)
    yield "two CL that differ", raw(length % 0 + length % len(HIDDEN), HIDDEN)
    yield "two CL alike", raw(length % 5 + length % 5, b"hello" + HIDDEN)
    yield "a list of CL", raw(b"Content-Length: 0, 5\r\n", HIDDEN)
    for value in (b"+5", b"-1", b"0x5", b"5 5", b"5;", b"18446744073709551621", b"\t5", b"5\x0b", b"''", b"5.0", b"1e1"):
        yield f"CL {value!r}", raw(b"Content-Length: " + value + b"\r\n", b"hello" + HIDDEN)
    for line in (b"Transfer-Encoding: xchunked", b"Transfer-Encoding : chunked", b"Transfer-Encoding:\tchunked",
                 b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding: identity", b"Transfer-Encoding: gzip, chunked",
                 b"Transfer-Encoding: \x0bchunked", b"Transfer-Encoding: 'chunked'", b"Transfer-Encoding: chunked\x00",
                 b" Transfer-Encoding: chunked", b"X: x\nTransfer-Encoding: chunked", b"Transfer-Encoding\n: chunked",
                 b"Transfer-Encoding:\r\n chunked", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"):
        yield f"{line!r} and CL", raw(line + b"\r\n" + length % len(ends + HIDDEN), ends + HIDDEN)
    for name, chunks in {
            "a chunk extension": b"5;a=b\r\nhello\r\n0\r\n\r\n", "a bare LF after a size": b"5\nhello\r\n0\r\n\r\n",
            "a bare LF after data": b"5\r\nhello\n0\r\n\r\n", "a bare LF at the end": b"5\r\nhello\r\n0\r\n\n",
            "a trailer": b"0\r\nX-Trailer: 1\r\n\r\n", "a trailer with a length": b"0\r\nContent-Length: 40\r\n\r\n",
            "a trailer with a key": b"0\r\nAuthorization: Bearer x\r\n\r\n",
            "a size of 17 digits": b"00000000000000005\r\nhello\r\n0\r\n\r\n", "a huge size": b"ffffffffffffffff\r\nhello",
            "a negative size": b"-5\r\nhello\r\n0\r\n\r\n", "a size with 0x": b"0x5\r\nhello\r\n0\r\n\r\n",
            "a size with a space": b"5 \r\nhello\r\n0\r\n\r\n", "no CRLF after data": b"5\r\nhello0\r\n\r\n",
            "no size": b"\r\nhello\r\n0\r\n\r\n"}.items():
        yield name, raw(CHUNKED, chunks + HIDDEN)
    yield "bare LF everywhere", b"POST /v1/flags/smuggled HTTP/1.1\nHost: x\nContent-Length: 0\n\n" + HIDDEN
    yield "bare CR in a header", raw(b"X: a\rContent-Length: 40\r\n", HIDDEN)
    yield "NUL in a header", raw(b"X: a\x00b\r\n" + length % 0, HIDDEN)
    yield "a folded header", raw(b"X: a\r\n Content-Length: 40\r\n" + length % 0, HIDDEN)
    yield "a space before the colon", raw(b"Content-Length : 40\r\n", HIDDEN)
    yield "no Host", raw(length % 0, host=b"")
    yield "two Hosts", raw(length % 0, host=HOST + b"Host: other\r\n")
    yield "a body after GET with TE and CL", raw(CHUNKED + length % len(HIDDEN), HIDDEN, method="GET")
    yield "a body after HEAD", raw(length % len(HIDDEN), HIDDEN, method="HEAD", target="/v1/flags")
    yield "HTTP/1.0 with TE", raw(CHUNKED, ends + HIDDEN).replace(b"HTTP/1.1", b"HTTP/1.0", 1)
    yield "version 2.0", raw(b"", HIDDEN).replace(b"HTTP/1.1", b"HTTP/2.0", 1)
    yield "a space in the target", raw(length % 0, target="/v1/flags /x")
    yield "a whole address with another host", raw(length % 0, target="http://other/v1/flags")
    yield "an authority as target", raw(length % 0, target="//other/v1/flags", method="GET")


def json_bodies():
    """(name, bytes): each must be answered with 4xx and leave the process well, wherever a JSON object is expected."""
    yield "5 000 objects deep", b'{"a":' * 5000 + b"1" + b"}" * 5000
    yield "5 000 arrays deep", b"[" * 5000 + b"]" * 5000
    yield "never closed", b"[" * 60_000
    for name, value in {"NaN": b"NaN", "Infinity": b"-Infinity", "1e400": b"1e400", "2 to the 64th": b"18446744073709551616",
                        "a long number": b"1" * 60_000, "an exponent of 12 digits": b"1e999999999999",
                        "a lone surrogate": b'"\\ud800"', "surrogates in the wrong order": b'"\\udc00\\ud800"',
                        "invalid UTF-8": b'"\xff\xfe"', "an overlong slash": b'"\xc0\xaf"', "a UTF-8 surrogate": b'"\xed\xa0\x80"',
                        "a raw NUL": b'"\x00"', "an escaped NUL": b'"\\u0000"', "hexadecimal": b"0x10", "a leading zero": b"01",
                        "a plus": b"+1", "a comment": b"/**/1", "single quotes": b"'a'", "a bad escape": b'"\\x41"',
                        "a raw line feed": b'"\n"', "a string of 60 KB": b'"' + b"a" * 60_000 + b'"'}.items():
        yield name, b'{"context":{"a":' + value + b"}}"
    yield "a key twice", b'{"context":{"a":1},"context":{"a":2}}'
    yield "a key twice, once escaped", b'{"context":{"a":1,"\\u0061":2}}'
    yield "5 000 keys", b'{"context":{' + b",".join(b'"k%d":1' % n for n in range(5000)) + b"}}"
    yield "keys that are alike to a weak hash", b'{"context":{' + b",".join(
        b'"%s":1' % ("".join("Aa" if n >> i & 1 else "BB" for i in range(11)).encode()) for n in range(2048)) + b"}}"
    yield "a byte order mark", b"\xef\xbb\xbf{}"
    yield "something after the end", b"{} {}"
    yield "UTF-16", '{"a":1}'.encode("utf-16")
    for name, body in {"a number": b"12", "a text": b'"x"', "null": b"null", "an array": b"[]", "white space": b"  "}.items():
        yield name, body


def path_tricks(path):
    """Ways to write a path so that somebody could take it for another: none may reach what the path reaches."""
    middle = path.rfind("/")
    head, tail = path[:middle], path[middle + 1:]
    yield "/" + path
    yield f"{head}//{tail}"
    yield f"{head}/./{tail}"
    yield f"{head}/x/../{tail}"
    yield f"{head}/%2e%2e/{head.rsplit('/', 1)[-1]}/{tail}"
    yield f"{head}/%2e/{tail}"
    yield f"{head}%2f{tail}"
    yield f"{head}%5c{tail}"
    yield f"{head}\\{tail}"
    yield f"{path}/"
    yield f"{path}%00"
    yield f"{path}%20"
    yield f"{path};a=b"
    yield f"{path}/..;/"
    yield f"/ofrep/v1/evaluate/flags/../../../..{path}"
    yield f"/ofrep/v1/evaluate/flags/%2e%2e/%2e%2e/%2e%2e/%2e%2e{path}"
    yield f"/healthz/..{path}"
    yield f"/healthz;{path}"
    yield f"/healthz%00{path}"
    yield f"/healthz%23{path}"
    if path.swapcase() != path:
        yield path.swapcase()
    yield path.replace("v1", "V1", 1)
    yield path.replace("v1", "%561", 1)
    yield path.replace("/v1", "/v１", 1)
