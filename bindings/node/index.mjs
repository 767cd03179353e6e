// The package for import: the objects that require gives.
import common from "./index.cjs";

export const { Model, VectorIndex, cosineSimilarity, fetchModel, maxSim, pipeline, version } = common;
