# Each target installs what it needs (deploy/bootstrap) and then does its job.
.PHONY: help run test bench lint drill soak fuzz clean

# The build that the tests use is the strict one, so that a warning or an undeclared import fails it.
strict = --explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors

help:
	@echo 'make run    start the service on 127.0.0.1:8080 (or SIGNALBOX_LISTEN) with sample routes'
	@echo 'make test   run every test: Swift tests, conformance suites, drills'
	@echo 'make drill  run the long drills, in half an hour; make soak those that take an hour'
	@echo 'make fuzz   let the fuzzer search for minutes'
	@echo 'make bench  measure, each figure as a ratio to a reference in the same run'
	@echo 'make lint   check the style'
	@echo 'make clean  delete what was built; the data in var/signalbox stays'

run:
	@deploy/bootstrap run
	@deploy/run

test:
	@deploy/bootstrap test
	@swift build --build-tests $(strict)
	@swift build -c release --product signalbox
	@STRICT="$(strict)" Tests/run

# The long forms of the drills of `make test`.
drill:
	@deploy/bootstrap test
	@swift build -c release --product signalbox
	@.venv/bin/python Tests/drill drill

# The drills that take an hour.
soak:
	@deploy/bootstrap test
	@swift build -c release --product signalbox
	@.venv/bin/python Tests/drill soak

# Minutes of the coverage-guided fuzzer; seconds of it are in `make test`.
fuzz:
	@deploy/bootstrap fuzz
	@Fuzz/run 300

bench:
	@deploy/bootstrap bench
	@swift build -c release
	@.build/release/Benchmarks

lint:
	@deploy/bootstrap lint
	@swift format lint --strict --recursive Package.swift Sources Tests

clean:
	rm -rf .build .venv
