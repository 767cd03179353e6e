// The settings in config.json of rotary positions, local layers and biases, for the families that have them, in their
// older and newer forms. An unsupported value is rejected by name. Stateless.
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

// The field's value if it is one of these, the first if there is none; else refuses it.
std::string choice(const JsonObject& fields, std::string_view field, std::initializer_list<std::string_view> values);
// What a sequence classifier reads, by one of these words; the others than "mean" and "late" are the first token.
ClassifierPooling read_classifier_pooling(const JsonObject& fields, std::string_view field,
                                          std::initializer_list<std::string_view> values);

// Refuses another value than this one; an absent field or null has it.
void require(const JsonObject& fields, std::string_view field, bool value);
void require(const JsonObject& fields, std::string_view field, double value);

// Refuses an unknown name of an activation.
void require_activation(const JsonObject& fields, std::string_view field, const std::string& name);

// rope_scaling, else rope_parameters, else rope_theta and then this theta: one kind for all layers.
void read_rotary(const JsonObject& fields, double theta, ModelConfig& config);

// A kind for the local layers and one for the others: rope_parameters with a part for each, else these two fields and
// then these values; rope_scaling changes both.
struct LayerThetas {
  const char* field;  // nullptr: none
  const char* local_field;
  double theta;
  double local_theta;
};
void read_layered_rotary(const JsonObject& fields, const LayerThetas& thetas, ModelConfig& config);

// layer_types, else every layer is local but each `period`th, counted from `first`.
void read_local_layers(const JsonObject& fields, size_t first, size_t period, ModelConfig& config);

// A list with a number (0 or more) for each layer, null counting as 0; empty if the field is absent.
std::vector<double> layer_numbers(const JsonObject& fields, std::string_view field, const ModelConfig& config);

// head_dim: hidden_size / num_attention_heads, or any where the family's heads may have a size of their own.
enum class HeadSize : bool { kUsual, kOwn };
void read_head_size(const JsonObject& fields, HeadSize size, ModelConfig& config);

// num_key_value_heads and head_dim.
void read_heads(const JsonObject& fields, ModelConfig& config, HeadSize size = HeadSize::kUsual);

}  // namespace bert
