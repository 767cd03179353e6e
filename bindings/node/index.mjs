// The package for import. Exports the objects that require() returns.
import common from "./index.cjs";

export const { Model, VectorIndex, cosineSimilarity, fetchModel, maxSim, pipeline, version } = common;
