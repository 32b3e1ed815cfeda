"""How well a model predicts torques that it has not seen: errors per joint, bands of uncertainty, cross-validation."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.validation.folds import CrossValidation, cross_validate
    from dynident.validation.metrics import Grade
    from dynident.validation.prediction import Prediction, predict
    from dynident.validation.result import Validation
    from dynident.validation.validate import validate, validate_samples

__all__ = ["CrossValidation", "Grade", "Prediction", "Validation", "cross_validate", "predict", "validate", "validate_samples"]

make_lazy(__name__)
