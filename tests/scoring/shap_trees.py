"""shap's own TreeSHAP of a forest: the peer that ours is tested against."""

from typing import Any

import numpy as np
import shap

from scoring.trees import Floats, Forest


class ShapTrees:
    """The same contract as scoring.tree_shap.TreeShap."""

    def __init__(self, forest: Forest) -> None:
        trees = [
            {
                "children_left": tree.left,
                "children_right": tree.right,
                "children_default": tree.missing,
                "features": tree.input,
                "thresholds": tree.threshold,
                "values": tree.value[:, None],
                "node_sample_weight": tree.cover,
            }
            for tree in forest.trees
        ]
        model: dict[str, Any] = {
            "trees": trees,
            "base_offset": forest.base,
            "input_dtype": np.float64,
            "internal_dtype": np.float64,
        }
        self._explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
        self.base = float(np.ravel(self._explainer.expected_value)[0])

    def shares(self, rows: Floats) -> Floats:
        """Return float64 (n, n_inputs) whose rows add up to margin - base."""
        shares: Floats = self._explainer.shap_values(np.ascontiguousarray(rows), check_additivity=False)
        return shares
