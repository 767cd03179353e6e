// Reads the settings of rotary positions, local layers, biases and disentangled attention from config.json, in their
// older and newer forms, for the families that have them. An unsupported value is rejected by name. Stateless.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "bert/config.h"
#include "engine/base/json/json_object.h"

namespace bert {

// Throws Error(kUnsupported): 'config.json': field value is not supported, expected <expected>.
[[noreturn]] void refuse_setting(const JsonObject& fields, std::string_view field, const std::string& value,
                                 const std::string& expected);

// Returns the field's value, or the first of `values` if it is absent. Throws Error(kUnsupported) for any other value.
std::string choice(const JsonObject& fields, std::string_view field, std::initializer_list<std::string_view> values);
// Returns what a sequence classifier reads. Of these words, "mean" and "late" have their own meaning; the others mean
// the first token.
ClassifierPooling read_classifier_pooling(const JsonObject& fields, std::string_view field,
                                          std::initializer_list<std::string_view> values);

// Throws Error(kUnsupported) unless the field has this value; an absent field or null counts as this value.
void require(const JsonObject& fields, std::string_view field, bool value);
void require(const JsonObject& fields, std::string_view field, double value);

// Returns a number from 1 to `most`; `otherwise` for an absent field or null.
size_t positive_integer(const JsonObject& fields, std::string_view field, int64_t otherwise, int64_t most = 1 << 20);

// Throws Error(kUnsupported) for an unknown name of an activation.
void require_activation(const JsonObject& fields, std::string_view field, const std::string& name);

// Reads one kind of rotary positions for all layers: rope_scaling, else rope_parameters, else rope_theta, with `theta`
// as the default.
void read_rotary(const JsonObject& fields, double theta, ModelConfig& config);

// Reads one kind of rotary positions for the local layers and one for the others: from the two parts of
// rope_parameters, else from the two fields, with these defaults; rope_scaling changes both kinds.
struct LayerThetas {
  const char* field;  // nullptr: no such field
  const char* local_field;
  double theta;
  double local_theta;
};
void read_layered_rotary(const JsonObject& fields, const LayerThetas& thetas, ModelConfig& config);

// Reads layer_types; without it every layer is local except each `period`th, counted from `first`.
void read_local_layers(const JsonObject& fields, size_t first, size_t period, ModelConfig& config);

// Returns a list with a number (0 or more) for each layer; null counts as 0. Empty if the field is absent.
std::vector<double> layer_numbers(const JsonObject& fields, std::string_view field, const ModelConfig& config);

// kUsual: head_dim must be hidden_size / num_attention_heads; kOwn: the family's heads may have any size.
enum class HeadSize : bool { kUsual, kOwn };
void read_head_size(const JsonObject& fields, HeadSize size, ModelConfig& config);

// Reads num_key_value_heads and head_dim.
void read_heads(const JsonObject& fields, ModelConfig& config, HeadSize size = HeadSize::kUsual);

// Reads disentangled attention: sets type_vocab_size, `disentangled` and position_embedding_type of a configuration
// whose sizes are already read. Throws Error for values with which the reference fails, and, by name, for unsupported
// settings.
void read_disentangled_attention(const JsonObject& fields, ModelConfig& config);

}  // namespace bert
