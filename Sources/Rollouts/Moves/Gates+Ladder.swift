extension Configuration {
    var gatesToNextStep: [GateResult] {
        [
            .unknown("heldLongEnough", "the plan names no time"),
            .unknown("minimumUnits", "no unit is counted"),
            .unknown("noStop", "no stop condition is stored"),
        ]
    }
}
