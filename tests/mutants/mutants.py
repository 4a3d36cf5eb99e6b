"""The mutants, each with the tests that must notice it."""

from tests.mutants.mutant import Mutant

CELLS = "tests/unit/io/test_cells.py"
PROOFS = "tests/unit/verification/test_proof.py"
SPOILED = "tests/unit/verification/test_spoiled.py"
BOUNDS = "tests/unit/verification/test_count_bounds.py"
FINGERPRINT = "tests/unit/attacks/test_fingerprint.py"
ENGINE = "tests/unit/runtime/test_engine.py"
POLICY = "tests/unit/judgement/test_policy.py"
JOINT = "tests/oracle/test_joint_steps.py"
COUNT_SIZE = "tests/unit/model/test_count_size.py"
SMALL_CLASSES = "tests/cli/test_waive.py::test_classes_below_k_are_accepted_as_far_as_they_went"
EPISODES = "tests/cli/test_several_rows.py::test_people_of_classes_by_definition"
ACCEPTED = "tests/cli/test_accepted_counts.py"
CLOSENESS = "tests/cli/test_closeness.py"
HARMLESS = "tests/cli/test_harmless.py"
WAVES = "tests/cli/test_waves.py"
POSSIBLE = "tests/oracle/test_possible_people.py"
COLUMN_RULES = "tests/unit/io/test_column_rules.py"

SEALED = "tests/properties/test_sealed_evidence.py"

MUTANTS = (
    # -- what attacks are handed
    Mutant(
        "audit.io.encoding.TextIndex.add",
        "np.argsort(own), np.empty",
        "np.arange(len(own)), np.empty",
        (f"{SEALED}::test_whose_row_of_a_class_is_whose_changes_nothing_that_an_attack_reaches",),
    ),
    Mutant(
        "audit.adversary.seen_release.PlacedPeople.of",
        "np.sort(row_class[keyed.person < 0])",
        "row_class[keyed.person < 0]",
        (f"{SEALED}::test_whose_row_of_a_class_is_whose_changes_nothing_that_an_attack_reaches",),
    ),
    Mutant(
        "audit.adversary.held_series.HeldSeries._records_of_strangers",
        "np.isin(kind[record], kind[strange])",
        "strange[record]",
        (f"{SEALED}::test_of_records_in_one_class_throughout_none_is_known_to_be_a_stranger_s",),
    ),
    Mutant(
        "audit.adversary.view.handed",
        "is_own(attack) and ",
        "",
        (f"{SEALED}::test_a_world_is_handed_to_own_attacks_alone_that_ask_for_worlds",),
    ),
    # -- the algebra of cells
    Mutant(
        "audit.io.cells._holds",
        "cell.low == number and not cell.low_open",
        "cell.low == number",
        (f"{CELLS}::test_every_pair_of_small_cells",),
    ),
    Mutant("audit.io.cells.contains", "== inner", "is not None", (f"{CELLS}::test_every_pair_of_small_cells",)),
    Mutant(
        "audit.io.cells._span",
        "bisect_left if cell.high_open else bisect_right",
        "bisect_right",
        (f"{CELLS}::test_covers_numbers_exactly",),
    ),
    Mutant(
        "audit.io.cells.cover_numbers",
        "grid[:, [value is None for value in values]] = True",
        "pass",
        (f"{CELLS}::test_covers_numbers_exactly",),
    ),
    # -- people who may be in the data
    Mutant(
        "audit.adversary.possible_people._largest",
        "if not any(set(one) < set(other) for other in every)",
        "if len(one) == max(map(len, every))",
        (f"{POSSIBLE}::test_rows_of_values_in_common_count_in_sets_of_any_size",),
    ),
    Mutant(
        "audit.adversary.possible_people._rows",
        "value in common or not constant",
        "True",
        (f"{POSSIBLE}::test_rows_of_values_in_common_count_in_sets_of_any_size",),
    ),
    Mutant(
        "audit.judgement.doubts.presence_doubts",
        "2 * kinds.uncovered > kinds.listed",
        "kinds.uncovered == kinds.listed",
        (f"{POSSIBLE}::test_where_nothing_covers_most_people_a_cell_may_be_misread",),
    ),
    # -- waves in one file, and changes that no line allows
    Mutant(
        "audit.adversary.build_evidence._check_changes",
        "(before != UNKNOWN) & unlisted[before, now]",
        "np.zeros(len(now))",
        (f"{WAVES}::test_missing_changes_are_named_before_anything_is_attacked",),
    ),
    Mutant(
        "audit.init.column_differences._comes_again",
        "2 * np.count_nonzero(releases[column.codes] > 1) > len(column.codes)",
        "False",
        (f"{WAVES}::test_init_finds_the_column_of_waves",),
    ),
    # -- harmless values in what is published
    Mutant(
        "audit.principles.l_diversity.LDiversity.frequent",
        "~np.isin(held.value, harmless)",
        "np.isin(held.value, harmless) | True",
        ("tests/cli/test_plan.py::test_harmless_values_may_be_as_frequent_as_they_are",),
    ),
    # -- verification
    Mutant(
        "audit.verification.field_types._test",
        " and isfinite(value)",
        "",
        (f"{SPOILED}::test_probabilities_are_finite",),
    ),
    Mutant(
        "audit.verification.disclosure.Checker.check",
        "left != {finding.value}",
        "finding.value not in left",
        (f"{SPOILED}::test_disclosures_by_own_groups",),
    ),
    Mutant(
        "audit.verification.disclosure.Checker.check_steps",
        "sorted(step.candidates) != sorted(self._candidates(finding.individual, step))",
        "not set(step.candidates) <= self._candidates(finding.individual, step)",
        (f"{SPOILED}::test_disclosures_by_own_groups",),
    ),
    Mutant(
        "audit.verification.disclosure.Checker.check_steps",
        "transitions is not None and at !=",
        "False and at !=",
        (f"{SPOILED}::test_steps_leave_out_no_release_in_which_a_value_may_change",),
    ),
    Mutant(
        "audit.verification.disclosure.Checker._left",
        "rows[value] -= 1",
        "pass",
        (f"{SPOILED}::test_known_values_take_rows",),
    ),
    Mutant(
        "audit.verification.proof.ProofChecker._refuted",
        "for each in spent) <= total",
        "for each in spent) < total",
        (f"{PROOFS}::test_bob_gives_alice_away",),
    ),
    Mutant(
        "audit.verification.proof.ProofChecker._cases",
        "left - values",
        "set()",
        (f"{PROOFS}::test_the_same_by_a_case",),
    ),
    Mutant(
        "audit.verification.proof.ProofChecker._sum",
        "sorted(set(proof.people))",
        "sorted(proof.people)",
        (f"{PROOFS}::test_nobody_is_counted_twice_and_no_row_is_a_gain",),
    ),
    Mutant(
        "audit.verification.proof.ProofChecker._sum",
        "each.points < 1 or ",
        "",
        (f"{PROOFS}::test_nobody_is_counted_twice_and_no_row_is_a_gain",),
    ),
    Mutant(
        "audit.verification.proof.ProofChecker.check",
        "for person in finding.proof.mentioned())",
        "for person in ())",
        (f"{PROOFS}::test_nothing_follows_from_somebody_whose_own_groups_contradict_each_other",),
    ),
    Mutant(
        "audit.verification.proof.ProofChecker.check",
        "sum(each.least for each in spent) > total",
        "False",
        (f"{PROOFS}::test_nothing_is_proved_of_releases_that_contradict_each_other",),
    ),
    Mutant(
        "audit.verification.placing.contradicts",
        "return not open_",
        "return False",
        (f"{PROOFS}::test_not_both_values_of_one_person_are_proved",),
    ),
    Mutant(
        "audit.verification.group.check_counts",
        " or finding.risk != some / rows",
        "",
        (f"{SPOILED}::test_classes_of_rows",),
    ),
    Mutant(
        "audit.verification.linkage.LinkageChecker._fill",
        "sum(here[kind] for kind in filling.kinds) != sum(following[kind] for kind in filling.fill)",
        "False",
        ("tests/unit/verification/test_linkage.py::test_as_many_rows_are_filled_as_fill_them",),
    ),
    Mutant(
        "audit.verification.record.Recounter._check_class",
        "< self._k",
        "<= self._k",
        ("tests/unit/attacks/test_inference_table.py::test_a_class_that_is_large_enough_is_no_finding",),
    ),
    # -- the checker of differencing
    Mutant(
        "attacks.differencing.programs.first_point",
        " and prove(component, ends, ({}, UPPER, -1), budget) is not None",
        "",
        ("tests/unit/attacks/test_lying_solvers.py::test_counts_do_not_contradict_each_other_by_the_word_of_a_solver",),
    ),
    Mutant(
        "audit.verification.count_bounds._sum_holds",
        "value < 0 and",
        "value <= 0 and",
        (f"{BOUNDS}::test_what_adds_up_to_nothing_is_no_contradiction",),
    ),
    Mutant("audit.verification.count_bounds._holds", "proof.at + 1", "proof.at", (f"{SPOILED}::test_bounds_by_cases",)),
    Mutant(
        "audit.verification.count_bounds.value_of",
        "case.is_upper != end_is_upper",
        "False",
        (f"{BOUNDS}::test_a_case_bounds_from_its_own_side_alone",),
    ),
    Mutant(
        "audit.verification.count_bounds.value_of",
        "end >= UNBOUNDED",
        "False",
        (f"{BOUNDS}::test_an_end_that_is_none_bounds_nothing",),
    ),
    Mutant(
        "audit.verification.count_bounds._covers_each",
        "if all(weight",
        "if any(weight",
        (f"{BOUNDS}::test_coverage_is_what_its_definition_says",),
    ),
    Mutant(
        "audit.verification.count_bounds._covers",
        ">= 2**62",
        ">= 2**99",
        (f"{BOUNDS}::test_weights_too_large_to_be_added_up_prove_nothing",),
    ),
    # -- the loop over e and buckets, peeling and Lanczos
    Mutant(
        "attacks.equivalence.search.solve",
        "search.uncut(2 * e)",
        "search.uncut(2 * e - 1)",
        ("tests/oracle/test_equivalence_search.py::test_tiny_series",),
    ),
    Mutant(
        "attacks.equivalence.search._VectorSearch.lattices",
        "self.complete = False",
        "pass",
        ("tests/unit/attacks/test_search.py::test_eliminations_that_take_too_long",),
    ),
    Mutant(
        "attacks.equivalence.search._VectorSearch.find",
        "self.complete &= done",
        "pass",
        ("tests/unit/attacks/test_search.py::test_bounds_where_models_are_not_solved",),
    ),
    Mutant(
        "attacks.equivalence.peeling._substitute",
        "number[pivot[k]] = np.uint64(0)",
        "pass",
        ("tests/oracle/test_equivalence_rationals.py::test_small_series",),
    ),
    Mutant(
        "attacks.equivalence.lanczos._end",
        " and _dot(state.weight[row:end], state.target[row:end], state.field) != 0",
        "",
        (f"{FINGERPRINT}::test_diagonals_that_fail_are_drawn_again",),
    ),
    Mutant(
        "attacks.equivalence.lanczos._go_on",
        "status == _FAILED",
        "False",
        (f"{FINGERPRINT}::test_a_contradiction_among_more_columns_than_groups_is_named",),
    ),
    # -- engines
    Mutant("audit.runtime.engine._done", "_Begun | _Later", "_Begun", (f"{ENGINE}",)),
    Mutant("audit.runtime.engine._Begun.cancel", "self._cancellation.cancelled = True", "pass", (f"{ENGINE}",)),
    Mutant("audit.runtime.engine.on_cancel", "if cancellation.cancelled:", "if False:", (f"{ENGINE}",)),
    # -- clauses
    Mutant("audit.clauses.clause._decided", "if not undecided:", "if True:", (POLICY,)),
    Mutant(
        "audit.clauses.max_risk._no_higher_risk",
        'return outcome.status == "complete" and known',
        "return known",
        (POLICY,),
    ),
    Mutant("audit.clauses.max_risk._doubtful", "else True", "else False", (POLICY,)),
    Mutant("audit.clauses.min_e._no_lesser_e", "outcome.claims.spanned + 1", "outcome.claims.spanned + 2", (POLICY,)),
    Mutant(
        "audit.clauses.smallest_class.SmallestClass.doubts",
        'entry.outcome.status == "complete"',
        "True",
        (POLICY,),
    ),
    Mutant(
        "audit.model.scored.EverRisks.less",
        "left[people] = False",
        "left[people] = True",
        ("tests/cli/test_waivers_and_risks.py::test_who_is_likely_to_have_had_a_grave_value_is_a_finding",),
    ),
    Mutant(
        "audit.judgement.selection.Selection.covered",
        "accepted[ident].covers(size)",
        "True",
        ("tests/cli/test_baseline.py::test_a_risk_that_has_grown_is_new",),
    ),
    Mutant(
        "audit.judgement.selection.republished",
        "_groups(releases, each) == own",
        "True",
        ("tests/repair/test_repair.py::test_a_release_that_is_published_again_adds_no_small_class",),
    ),
    # -- numbers that are known nearly
    Mutant(
        "audit.model.nearness.Nearness.together",
        "self.high[np.where(known, low, 0)] >= high",
        "self.high[np.where(known, low, 0)] > high",
        (f"{CLOSENESS}::test_what_is_close",),
    ),
    Mutant(
        "audit.clauses.closeness._PeoplesNumbers._add_likely",
        "window.within > alone + _MORE",
        "window.within > 2",
        (f"{CLOSENESS}::test_below_certainty_what_is_near_the_true_number_counts",),
    ),
    Mutant(
        "audit.model.accepted_size.CloseSize.covers",
        "other.lower <= self.lower",
        "other.lower >= self.lower",
        (f"{CLOSENESS}::test_what_is_known_more_nearly_is_new",),
    ),
    Mutant(
        "audit.verification.close_numbers.NumberChecker._count",
        " or not any(near)",
        "",
        (f"{SPOILED}::test_most_rows_of_a_class_have_numbers_close_to_one_of_them",),
    ),
    # -- similar values
    Mutant(
        "audit.clauses.max_risk.MaxRisk.doubts",
        "yield from CATEGORIES.doubts(findings, limit)",
        "pass",
        ("tests/cli/test_similar.py::test_an_attack_that_judges_no_categories_does_not_decide",),
    ),
    Mutant(
        "audit.verification.close_numbers.NumberChecker.number",
        "Fraction(0) if category in known.get(text, ()) else None",
        "Fraction(0)",
        (f"{SPOILED}::test_people_whose_category_is_known",),
    ),
    # -- harmless values
    Mutant(
        "audit.clauses.max_ever_risk.value_codes",
        "np.all(has",
        "np.any(has",
        (f"{HARMLESS}::test_a_combination_is_as_likely_as_it_was",),
    ),
    Mutant(
        "audit.judgement.harmless._one",
        "behind or ",
        "",
        (f"{HARMLESS}::test_a_share_behind_the_harmless_one_is_not_passed_over",),
    ),
    Mutant(
        "audit.judgement.harmless._risks",
        "values == -1",
        "values == -2",
        (f"{HARMLESS}::test_whose_likeliest_value_is_not_known_decides_nothing",),
    ),
    Mutant(
        "audit.judgement.harmless._one",
        "np.isin(claims.values(), codes)",
        "np.isin(claims.values(), claims.values())",
        (f"{HARMLESS}::test_another_value_is_found_as_ever",),
    ),
    # -- column rules
    Mutant(
        "audit.io.rules.registry.with_rules",
        "kept = kept.without(type(rule))",
        "pass",
        (f"{COLUMN_RULES}::test_a_rule_that_is_wrong_is_left_out_of_what_is_read",),
    ),
    Mutant(
        "audit.io.rules.rule.Rules.respellings",
        "partial(spelled, steps)",
        "str",
        (f"{COLUMN_RULES}::test_a_crosswalk_names_values_as_the_release_spells_them",),
    ),
    # -- balancing of m-invariance
    Mutant(
        "anonymizers.balancing._batch",
        "if best is not None:",
        "if False:",
        ("tests/unit/anonymizers/test_balancing.py::test_large_batches_leave_the_rest_eligible",),
    ),
    # -- what joint decides
    Mutant(
        "attacks.joint.attack.JointAttack._outcome",
        "found.decided.all()",
        "found.decided.any()",
        (f"{JOINT}::test_one_who_is_not_decided_may_be_certain",),
    ),
    Mutant(
        "attacks.joint.values.Findings.__init__",
        "(sizes[2] > 1)",
        "(sizes[2] >= 1)",
        ("tests/unit/attacks/test_joint_network.py::test_whoever_has_two_values_left_is_decided_when_both_are_shown",),
    ),
    Mutant(
        "attacks.joint.attack.JointAttack._outcome",
        "if not decision.feasible:",
        "if False:",
        (f"{JOINT}::test_an_odd_circle_of_groups_with_two_values_has_no_world",),
    ),
    Mutant(
        "attacks.joint.knowledge.Knowledge.__init__",
        "if network.weighs_alike:",
        "if True:",
        (f"{JOINT}::test_even_groups_are_equally_probable_only_where_changes_weigh_nothing",),
    ),
    Mutant(
        "attacks.joint.network.ConstraintNetwork.even",
        "uneven[of[self.hint[variable] < 0]] = True",
        "pass",
        ("tests/unit/attacks/test_joint_network.py::test_no_world_is_presumed_where_groups_are_not_even",),
    ),
    Mutant(
        "attacks.joint.settling.Settling._balls",
        "np.isin(core.part, parts)",
        "core.part < 0",
        (f"{JOINT}::test_a_solver_is_believed_only_where_nothing_else_rules_out",),
    ),
    Mutant(
        "attacks.joint.core.core_of",
        "kept = members > capacity",
        "kept = members > capacity + 1",
        (f"{JOINT}::test_an_even_circle_has_two_worlds",),
    ),
    Mutant(
        "attacks.joint.worlds.Worlds._taken_over",
        "(taken > net.capacity[row])[settled].any()",
        "False",
        ("tests/unit/attacks/test_lying_solvers.py", JOINT),
    ),
    Mutant(
        "attacks.joint.worlds.Worlds.begin",
        "(taken > net.capacity).any()",
        "False",
        ("tests/unit/attacks/test_joint_state.py::test_worlds_are_what_rows_and_links_allow",),
    ),
    Mutant(
        "attacks.joint.worlds.Worlds._right",
        "if not len(net.link):",
        "if True:",
        ("tests/unit/attacks/test_joint_state.py::test_worlds_are_what_rows_and_links_allow",),
    ),
    # -- certificates' own fields
    Mutant(
        "audit.verification.linkage.LinkageChecker._check",
        "finding.risk != (1 / rows if finding.value is None else 1)",
        "False",
        (f"{SPOILED}::test_rows_that_can_be_somebody_s",),
    ),
    Mutant(
        "audit.verification.equivalence._claimed",
        "finding.e != sum(finding.right.values())",
        "False",
        (f"{SPOILED}::test_equivalences",),
    ),
    # -- what is accepted
    Mutant("audit.model.report.CountSize.covers", "not worse and ", "", (COUNT_SIZE,)),
    Mutant("audit.model.report.CountSize.covers", "self.upper <= other.upper", "True", (COUNT_SIZE,)),
    Mutant("audit.judgement.waivers.NamedFindings.within", "sizes[ident].covers(size)", "True", (ACCEPTED,)),
    Mutant("audit.model.accepted_size.SmallClasses.covers", "other.rows <= self.rows", "True", (SMALL_CLASSES,)),
    Mutant("audit.judgement.baseline._small_classes", 'each["below_k"]}', "10**9}", (SMALL_CLASSES,)),
    Mutant("audit.metrics.release_risk._people_of", "counted &= np.isin", "np.isin", (EPISODES,)),
    Mutant(
        "audit.judgement.waivers.NamedFindings.within",
        "ident in sizes and sizes[ident].covers(size)",
        "ident in sizes",
        ("tests/cli/test_waivers_and_risks.py::test_a_risk_is_waived_as_far_as_it_was_known",),
    ),
    Mutant(
        "audit.judgement.waivers.WaiverBook._ask",
        "clauses.update(*(found.clauses[at] for at in left))",
        "pass",
        (
            "tests/cli/test_count_tables.py::test_waived_findings_do_not_count",
            "tests/cli/test_waivers_and_risks.py::test_a_waiver_without_a_size_leaves_its_clauses_undecided",
        ),
    ),
    Mutant(
        "audit.clauses.count_limits.CountClause.decided",
        "reasons += [open_[self.rule]] if self.rule in open_ else []",
        "pass",
        ("tests/cli/test_people_of_one_kind.py::test_what_is_not_settled_is_undecided",),
    ),
    Mutant(
        "audit.count_tables.count_findings.FindingBuilder.__init__",
        "over_time or counts.manifest.over_time",
        "counts.manifest.over_time",
        ("tests/cli/test_count_table_doubts.py::test_a_finding_that_needs_no_guess_is_one",),
    ),
    # -- kinds of people in count tables
    Mutant(
        "audit.count_tables.build_evidence._PeopleOfOneKind._judged",
        "left <= self.kinds.harmless",
        "False",
        ("tests/cli/test_people_of_one_kind.py",),
    ),
    Mutant(
        "audit.count_tables.build_evidence._PeopleOfOneKind._judged",
        "return OPEN, ()",
        "return NOTHING, ()",
        ("tests/cli/test_people_of_one_kind.py::test_what_is_not_settled_is_undecided",),
    ),
    # -- what one release alone discloses, and lists of findings
    Mutant(
        "audit.metrics.release_risk.panels_in",
        "(spread.entries == 1) & grave",
        "spread.entries == 1",
        ("tests/cli/test_pages.py::test_a_page_splits_what_one_release_discloses_from_what_all_do",),
    ),
    Mutant(
        "audit.pipeline.waived_findings.waive_findings",
        "each.where and not sizes",
        "False",
        ("tests/cli/test_findings.py::test_a_list_with_a_fault_changes_nothing",),
    ),
    Mutant(
        "reports.finding_list._passive",
        "shown.startswith(_ACTIVE)",
        "False",
        ("tests/cli/test_findings.py::test_people_are_named_only_when_revealed_and_no_cell_is_a_formula",),
    ),
    # -- clauses of other packages
    Mutant(
        "audit.clauses.clause.decide",
        'limit, "undecided", ()',
        'limit, "holds", ()',
        ("tests/properties/test_outsiders.py::test_the_clause",),
    ),
    # -- witnesses
    Mutant(
        "audit.witness.verify.check_world",
        "(taken <= held.ravel()).all()",
        "True",
        ("tests/oracle/test_witness.py::test_a_world_that_fits_no_group_shows_nothing",),
    ),
    Mutant(
        "audit.witness.verify.checked",
        'stated["files"].get(name) == same',
        "True",
        ("tests/oracle/test_witness.py::test_a_statement_is_about_its_files",),
    ),
    Mutant(
        "audit.witness.verify_cells.cells",
        "one and not power",
        "True",
        ("tests/oracle/test_witness.py::test_cells_that_may_mean_the_same_are_refused",),
    ),
    Mutant(
        "audit.witness.verify_cells.cells",
        "same == text",
        "True",
        ("tests/oracle/test_witness.py::test_cells_that_may_mean_the_same_are_refused",),
    ),
    Mutant(
        "audit.witness.verify.Published.know",
        "(before < 0) | (before == code)",
        "before == before",
        ("tests/oracle/test_witness.py::test_a_series_that_may_be_understood_otherwise_is_refused",),
    ),
    Mutant(
        "audit.witness.writer._put_together",
        "len({len(np.unique(each)) for each in (both, ours, theirs)}) == 1",
        "True",
        ("tests/oracle/test_witness.py::test_the_writer_compares_its_classes_with_those_of_the_checker",),
    ),
    Mutant(
        "audit.witness.verify_points.Left.strike_out",
        "<= spare",
        "< spare",
        ("tests/oracle/test_witness.py::test_examples_are_shown",),
    ),
    Mutant(
        "audit.witness.verify_tables.read_tables",
        "low <= count <= high",
        "True",
        ("tests/oracle/test_witness_tables.py::test_a_table_that_does_not_fit_shows_nothing",),
    ),
    Mutant(
        "audit.witness.verify_tables.checked",
        'stated["files"].get(name) == same',
        "True",
        ("tests/oracle/test_witness_tables.py::test_a_statement_is_about_its_files",),
    ),
    Mutant(
        "audit.witness.verify_counts.equivalent",
        "any(total.values())",
        "False",
        ("tests/oracle/test_witness.py::test_groups_of_other_values_show_no_equal_people",),
    ),
    Mutant(
        "attacks.joint.row_costs.row_costs",
        "known.alive & ~decision.alive",
        "known.alive & decision.alive",
        ("tests/oracle/test_witness.py::test_points_of_all_at_once_prove_what_single_groups_do_not",),
    ),
)
