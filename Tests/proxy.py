"""nginx with the site of deploy/ in front of a service: on loopback ports, with a certificate of its own making."""
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import time

SITE = pathlib.Path(__file__).resolve().parent.parent / "deploy/nginx-site.conf"


def find():
    """The program, or None."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxy:
    """The site as it is shipped; only ports, the certificate and the places of files differ."""

    def __init__(self, directory, upstream_port):
        self.directory = pathlib.Path(directory) / "nginx"
        self.directory.mkdir()
        self.port = free_port()
        self.process = None
        self.log = self.directory / "access.log"
        certificate, key = self.directory / "cert.pem", self.directory / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", "/CN=signalbox.test", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        site = SITE.read_text()
        for pattern, text in {r"server 127\.0\.0\.1:8080;": f"server 127.0.0.1:{upstream_port};",
                              r"listen 443 ssl http2;": f"listen 127.0.0.1:{self.port} ssl http2;",
                              r"listen \[::\]:443 ssl http2;": "",
                              r"/etc/ssl/signalbox/fullchain\.pem": str(certificate),
                              r"/etc/ssl/signalbox/key\.pem": str(key),
                              r"/var/log/nginx/signalbox\.log": str(self.log)}.items():
            site, count = re.subn(pattern, text, site)
            assert count == 1, pattern
        temporary = "\n".join(f"{kind}_temp_path {self.directory}/{kind};"
                              for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        self.configuration = self.directory / "nginx.conf"
        self.configuration.write_text(
            f"daemon off;\nworker_processes 1;\npid {self.directory}/pid;\nerror_log {self.directory}/error.log;\n"
            f"events {{ worker_connections 512; }}\nhttp {{\n{temporary}\n{site}\n}}\n")

    def test(self):
        """`nginx -t`: its exit code and its words."""
        done = subprocess.run([find(), "-t", "-c", self.configuration], capture_output=True, text=True)
        return done.returncode, done.stderr

    def start(self):
        self.process = subprocess.Popen([find(), "-c", self.configuration], stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                self.connect().close()
                return self
            except OSError:
                time.sleep(0.05)
        raise RuntimeError((self.directory / "error.log").read_text())

    def connect(self, protocol="http/1.1"):
        """A TLS connection that speaks that protocol."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols([protocol])
        return context.wrap_socket(socket.create_connection(("127.0.0.1", self.port), timeout=5))

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)

    def request_ids(self):
        """The ids of all requests that nginx has logged."""
        return [line.split()[1] for line in self.log.read_text().splitlines()]
