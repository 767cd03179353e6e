// The package for import: the objects that require gives.
import common from "./index.cjs";

export const { Model, VectorIndex, cosineSimilarity, maxSim, pipeline, version } = common;
