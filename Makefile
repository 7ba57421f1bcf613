# Each target installs what it needs (deploy/bootstrap) and then does its job.
.PHONY: run test bench lint drill clean

# The build that the tests use is the strict one, so that a warning or an undeclared import fails it.
strict = --explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors

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
	@.venv/bin/python Tests/Drills/kill.py --cycles 50
	@.venv/bin/python Tests/Drills/pin_race.py --journeys 5000

bench:
	@deploy/bootstrap bench
	@swift build -c release
	@.build/release/Benchmarks

lint:
	@deploy/bootstrap lint
	@swift format lint --strict --recursive Package.swift Sources Tests

clean:
	rm -rf .build .venv
